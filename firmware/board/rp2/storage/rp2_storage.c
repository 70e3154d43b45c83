/* Implements port_storage.h with the last sector of the flash of a Pico or a Pico 2, and the functions of the boot ROM
 * (RP2040 DS 2.8.3.1.3, RP2350 DS 5.4.8), as the pico-sdk does. */
#include "rp2_storage.h"
#include "chip.h"
#include "port_storage.h"
#include "rp2_board.h"
#include "rp2_start.h"

#define SECTOR 4096U
#define PAGE 256U
#define OFFSET (CHIP_FLASH_BYTES - SECTOR)
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

static void find_functions(void) {
    rom.connect = (void (*)(void))chip_rom_function('I', 'F');
    rom.exit_xip = (void (*)(void))chip_rom_function('E', 'X');
    rom.erase = (void (*)(uint32_t, uint32_t, uint32_t, uint8_t))chip_rom_function('R', 'E');
    rom.program = (void (*)(uint32_t, const uint8_t *, uint32_t))chip_rom_function('R', 'P');
    rom.flush_cache = (void (*)(void))chip_rom_function('F', 'C');
    rom.enter_xip = (void (*)(void))chip_rom_function('C', 'X');
    if (rp2_code_is_in_flash()) {
        rom.enter_xip = rp2_storage_keep_reading();
    }
}

struct port_storage port_storage(void) {
    enum port_storage_use use = rp2_code_is_in_flash() ? PORT_STORAGE_CODE : PORT_STORAGE_RAM;
    return (struct port_storage){.use = use, .sector_bytes = SECTOR, .page_bytes = PAGE};
}

BOARD_IN_SRAM(rp2_storage_change) static void change_sector(struct port_storage_change *change) {
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
    return *(const volatile uint8_t *)(uintptr_t)(CHIP_FLASH_NOT_CACHED + OFFSET + offset);
}
