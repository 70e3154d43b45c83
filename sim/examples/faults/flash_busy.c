// Programs that need their flash while it is being erased or programmed, one for each definition; with MENDED, they do
// not. For flash.ld.
#include "locks.h"

#define IN_RAM __attribute__((noipa, section(".sram4.code")))

enum { SECTOR = 4096, PAGE = 256, BLOCK = 1 << 16, BLOCK_ERASE = 0xd8, STORED_AT = 1 << 20, TABLE = 4096 };

static struct {
    void (*connect)(void);
    void (*exit_xip)(void);
    void (*erase)(uint32_t offset, uint32_t bytes, uint32_t block, uint8_t command);
    void (*program)(uint32_t offset, const uint8_t *data, uint32_t bytes);
    void (*flush_cache)(void);
    void (*enter_xip)(void);
} rom;

static uint8_t settings[PAGE] = {'o', 'n'};
static volatile uint32_t done, sum, handled;

// A half-word of the boot ROM. The compiler expects no object near address 0.
static uintptr_t rom_half(uintptr_t address) {
    __asm__("" : "+r"(address));
    return *(const volatile uint16_t *)address;
}

static void *find(char first, char second) {
    void *(*look_up)(uintptr_t names, uint32_t code) = (void *(*)(uintptr_t, uint32_t))rom_half(0x18);
    return look_up(rom_half(0x14), (uint32_t)first | (uint32_t)second << 8);
}

// As a program saves its settings: erases a sector, and programs a page of it.
IN_RAM static void save(void) {
    rom.connect();
    rom.exit_xip();
    rom.erase(STORED_AT, SECTOR, BLOCK, BLOCK_ERASE);
    rom.program(STORED_AT, settings, PAGE);
    rom.flush_cache();
    rom.enter_xip();
}

#if defined(FETCH) // core 1's code is in flash
#ifdef MENDED
IN_RAM
#else
__attribute__((noipa))
#endif
static void count(void) {
    while (!done) {
        sum++;
    }
}
static void core_1(void) { count(); }
static void core_0(void) {
    while (sum == 0) {
    }
    save();
}

#elif defined(READ) // core 1's code is in RAM, and its table is in flash
#ifdef MENDED
static volatile uint32_t table[TABLE] = {1};
#else
static const uint32_t table[TABLE] = {1};
#endif
IN_RAM static void sum_up(void) {
    uint32_t at = 0;
    while (!done) {
        sum += table[at];
        at = (at + 8) % TABLE;
    }
}
static void core_1(void) { sum_up(); }
static void core_0(void) {
    while (sum == 0) {
    }
    save();
}

#elif defined(HANDLER) // interrupts go on, and a handler is in flash
static void on_alarm(void) {
    TIMER_INTR = 1;
    handled++;
}
static void core_1(void) {}
static void core_0(void) {
    set_handler(IRQ_TIMER_0, on_alarm);
    NVIC_ISER = 1u << IRQ_TIMER_0;
    TIMER_INTE = 1;
    TIMER_ALARM0 = TIMER_TIMERAWL + 5000;
#ifndef MENDED
    __asm__ volatile("cpsie i");
#endif
    save();
    __asm__ volatile("cpsie i");
    while (handled == 0) {
    }
}
#endif

void example(void) {
    rom.connect = (void (*)(void))find('I', 'F');
    rom.exit_xip = (void (*)(void))find('E', 'X');
    rom.erase = (void (*)(uint32_t, uint32_t, uint32_t, uint8_t))find('R', 'E');
    rom.program = (void (*)(uint32_t, const uint8_t *, uint32_t))find('R', 'P');
    rom.flush_cache = (void (*)(void))find('F', 'C');
    rom.enter_xip = (void (*)(void))find('C', 'X');
    set_handler(IRQ_UART0, 0); // its table is in RAM
    start_core_1(core_1);
    core_0();
    done = 1;
}
