/* What the files of board/rp2 need to know about this chip */
#ifndef CHIP_H
#define CHIP_H

#include <newlib.h>

#include "hardware/sync.h"
#include "rp2040_cycles.h"
#include "rp2040_region.h"
#include "rp2040_registers.h"

#define CHIP_NAME "RP2040"
#define CHIP_LIBRARY "newlib " _NEWLIB_VERSION
#define CHIP_STACKS "sram-striped"
#define CHIP_FULL_SPEED_HZ 133000000 /* the most that clk_sys may have, at the core's usual 1.1 V */
#define CHIP_CLK_SYS_DIV_1 (1U << 8U)
#define CHIP_SRAM_END 0x20042000U
#define CHIP_FLASH_BYTES (2U << 20U) /* the Pico's W25Q16JV */
#define CHIP_FLASH_NOT_CACHED 0x13000000U
#define CHIP_FIFO_SHARE 6U /* entries of the inter-core FIFO that messages may fill (rp2_fifo.h) */
#define CHIP_MOVE_FROM_SP "mov %0, sp"

/* Begins to count core 0's cycles. */
static inline void chip_cycles_begin(void) { rp2040_cycles_begin(); }

/* Connects a pin to a peripheral. After a reset the pad drives the pin as soon as it is enabled (DS 2.19.6.3). */
static inline void chip_select_pin(uint32_t pin, uint32_t function) { GPIO_CTRL(pin) = function; }

/* Starts the tick of 1 µs for TIMER, WATCHDOG and SysTick (DS 4.7.2). */
static inline void chip_start_ticks(uint32_t cycles) { WATCHDOG_TICK = 1U << 9U | cycles; }

/* The core voltage in mV for which the regulator is set: 800 for a VSEL below 6, 850 for 6, and 50 more for each
 * further step (DS 2.10.3) */
static inline uint32_t chip_core_mv(void) {
    uint32_t step = VREG >> VREG_VSEL_SHIFT & VREG_VSEL_MASK;
    return step < 6U ? 800U : 550U + 50U * step;
}

/* A half-word of the boot ROM. The compiler must not see that the address is near 0, where it expects no object. */
static inline uintptr_t chip_rom_half(uintptr_t address) {
    __asm("" : "+r"(address));
    return *(const volatile uint16_t *)address;
}

/* A function of the boot ROM by the two letters of its code (DS 2.8.3) */
static inline uintptr_t chip_rom_function(char first, char second) {
    uintptr_t (*look_up)(uintptr_t table, uint32_t code) = (uintptr_t (*)(uintptr_t, uint32_t))chip_rom_half(0x18);
    return look_up(chip_rom_half(0x14), (uint32_t)first | (uint32_t)second << 8U);
}

#define CHIP_PANIC_LOCK 0U

static inline void chip_mask_interrupts(void) { __asm volatile("cpsid i" ::: "memory"); }

/* Calls a function that does not return, on a main stack of which this is the top. A handler already uses the main
 * stack; a task must select it first. */
static inline __attribute__((noreturn)) void chip_call_on_stack(const uint32_t *top, void (*function)(void)) {
    __asm volatile("    mrs  r1, ipsr      \n"
                   "    cmp  r1, #0        \n"
                   "    bne  1f            \n"
                   "    msr  control, r1   \n"
                   "    isb                \n"
                   "1:  mov  sp, %0        \n"
                   "    blx  %1            \n" ::"r"(top),
                   "r"(function)
                   : "r1", "memory");
    __builtin_unreachable();
}

/* The address by which the boot ROM enters a function (Thumb code) */
static inline uint32_t chip_entry(void (*function)(void)) { return (uintptr_t)function | 1U; }

/* Makes a semihosting call, which a simulator or a debugger answers. Without one, the call locks up the core. */
static inline void chip_semihosting(uint32_t number, const uint32_t *block) {
    register uint32_t operation __asm__("r0") = number;
    register const uint32_t *argument __asm__("r1") = block;
    __asm volatile("bkpt 0xab" ::"r"(operation), "r"(argument) : "memory");
}

#endif
