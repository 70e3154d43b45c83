/* Implements port_storage.h with the last sector of the Pico's flash, a W25Q16JV of 2 MiB, and the functions of the
 * boot ROM (DS 2.8.3.1.3), as the pico-sdk does. */
#include "hardware/sync.h"
#include "port_storage.h"
#include "rp2040_registers.h"
#include "rp2_board.h"
#include "rp2_start.h"

#define SECTOR 4096U
#define PAGE 256U
#define OFFSET ((2U << 20U) - SECTOR)
#define FLASH 0x10000000U
#define FLASH_NOT_CACHED 0x13000000U
#define BLOCK (1U << 16U) /* what the boot ROM could erase at once, by the command D8h */
#define BLOCK_ERASE 0xd8U

static struct {
    void (*connect)(void);
    void (*exit_xip)(void);
    void (*erase)(uint32_t offset, uint32_t bytes, uint32_t block, uint8_t command);
    void (*program)(uint32_t offset, const uint8_t *bytes, uint32_t count);
    void (*flush_cache)(void);
    void (*enter_xip)(void); /* sets up the flash and its interface for reading */
} rom;

/* The second-stage boot loader, with which an image in flash sets up the flash for its code */
static uint32_t boot2[64];

/* A half-word of the boot ROM. The compiler must not see that the address is near 0, where it expects no object. */
static uintptr_t rom_half(uintptr_t address) {
    __asm("" : "+r"(address));
    return *(const volatile uint16_t *)address;
}

static uintptr_t rom_function(char first, char second) {
    uintptr_t (*look_up)(uintptr_t table, uint32_t code) = (uintptr_t (*)(uintptr_t, uint32_t))rom_half(0x18);
    return look_up(rom_half(0x14), (uint32_t)first | (uint32_t)second << 8U);
}

/* boot2.S returns if it was called, but with other values in most registers. */
__attribute__((naked)) BOARD_IN_SRAM(rp2040_storage_boot2) static void call_boot2(void) {
    __asm volatile("    push {r4, r5, r6, r7, lr} \n"
                   "    mov  r4, r8               \n"
                   "    push {r4}                 \n"
                   "    ldr  r0, =%c0 + 1         \n"
                   "    blx  r0                   \n"
                   "    pop  {r4}                 \n"
                   "    mov  r8, r4               \n"
                   "    pop  {r4, r5, r6, r7, pc} \n"
                   "    .ltorg                    \n"
                   :
                   : "i"(boot2));
}

static void find_functions(void) {
    rom.connect = (void (*)(void))rom_function('I', 'F');
    rom.exit_xip = (void (*)(void))rom_function('E', 'X');
    rom.erase = (void (*)(uint32_t, uint32_t, uint32_t, uint8_t))rom_function('R', 'E');
    rom.program = (void (*)(uint32_t, const uint8_t *, uint32_t))rom_function('R', 'P');
    rom.flush_cache = (void (*)(void))rom_function('F', 'C');
    rom.enter_xip = (void (*)(void))rom_function('C', 'X');
    if (rp2_code_is_in_flash()) {
        for (uint32_t i = 0; i < sizeof boot2 / sizeof boot2[0]; i++) {
            boot2[i] = REGISTER(FLASH + 4U * i);
        }
        rom.enter_xip = call_boot2;
    }
}

struct port_storage port_storage(void) {
    enum port_storage_use use = rp2_code_is_in_flash() ? PORT_STORAGE_CODE : PORT_STORAGE_RAM;
    return (struct port_storage){.use = use, .sector_bytes = SECTOR, .page_bytes = PAGE};
}

BOARD_IN_SRAM(rp2040_storage_change) static void change_sector(struct port_storage_change *change) {
    uint32_t mask = 0;
    if (change->masked) {
        mask = save_and_disable_interrupts();
    }
    rom.connect();
    rom.exit_xip();
    change->prepared = port_clock();
    if (change->erase) {
        rom.erase(OFFSET, SECTOR, BLOCK, BLOCK_ERASE);
    }
    for (uint32_t page = change->page; page < change->page + change->pages; page++) {
        rom.program(OFFSET + page * PAGE, change->bytes, PAGE);
    }
    change->written = port_clock();
    rom.flush_cache();
    rom.enter_xip();
    if (change->masked) {
        restore_interrupts(mask);
    }
}

bool port_storage_write(struct port_storage_change *change) {
    if (rom.erase == NULL) {
        find_functions();
    }
    change_sector(change);
    return true;
}

uint8_t port_storage_read(uint32_t offset) {
    return *(const volatile uint8_t *)(uintptr_t)(FLASH_NOT_CACHED + OFFSET + offset);
}
