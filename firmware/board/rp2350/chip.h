/* What the files of board/rp2 need to know about this chip */
#ifndef CHIP_H
#define CHIP_H

#include <picolibc.h>

#include "hardware/sync.h"
#include "rp2350_cycles.h"
#include "rp2350_region.h"
#include "rp2350_registers.h"

#define CHIP_NAME "RP2350"
#ifdef CHIP_LIBRARY_FOR_SPEED
#define CHIP_LIBRARY "picolibc " _PICOLIBC_VERSION ", release"
#else
#define CHIP_LIBRARY "picolibc " _PICOLIBC_VERSION
#endif
#define CHIP_STACKS "sram-striped; of interrupts: sram8 (core 0), sram9 (core 1)"
#define CHIP_FULL_SPEED_HZ 150000000
#define CHIP_CLK_SYS_DIV_1 (1U << 16U)
#define CHIP_SRAM_END 0x20082000U
#define CHIP_FLASH_BYTES (4U << 20U) /* the Pico 2's W25Q32RV */
#define CHIP_FLASH_NOT_CACHED 0x14000000U
#define CHIP_FIFO_SHARE 4U /* entries of the inter-core FIFO that messages may fill (rp2_fifo.h) */
#define CHIP_MOVE_FROM_SP "mv %0, sp"

/* Begins to count core 0's cycles. */
static inline void chip_cycles_begin(void) { rp2350_cycles_begin(); }

/* Connects a pin to a peripheral. After a reset the pad is isolated, and its input is off (DS 9.7). */
static inline void chip_select_pin(uint32_t pin, uint32_t function) {
    GPIO_CTRL(pin) = function;
    SET_BITS(PADS_GPIO(pin)) = PADS_IE;
    CLEAR_BITS(PADS_GPIO(pin)) = PADS_ISO;
}

/* Starts the tick of 1 µs for TIMER0 and WATCHDOG (DS 8.5.1). */
static inline void chip_start_ticks(uint32_t cycles) {
    TICKS_TIMER0_CTRL = 0;
    TICKS_TIMER0_CYCLES = cycles;
    TICKS_TIMER0_CTRL = 1;
    TICKS_WATCHDOG_CTRL = 0;
    TICKS_WATCHDOG_CYCLES = cycles;
    TICKS_WATCHDOG_CTRL = 1;
}

/* The core voltage in mV for which the regulator is set: 550 for a VSEL of 0, and 50 more for each step to 1300, from
 * where the steps differ (DS 6.4, VREG) */
static inline uint32_t chip_core_mv(void) {
    uint32_t step = VREG >> VREG_VSEL_SHIFT & VREG_VSEL_MASK;
    return 550U + 50U * step;
}

/* A function of the boot ROM by the two letters of its code (DS 5.4.1) */
static inline uintptr_t chip_rom_function(char first, char second) {
    const uint32_t for_riscv = 1;
    uintptr_t pointer = *(const volatile uint16_t *)0x7dfaU;
    uintptr_t (*look_up)(uint32_t code, uint32_t flags) = (uintptr_t (*)(uint32_t, uint32_t))pointer;
    return look_up((uint32_t)first | (uint32_t)second << 8U, for_riscv);
}

/* A spinlock that no other write releases (erratum RP2350-E2) */
#define CHIP_PANIC_LOCK 5U

static inline void chip_mask_interrupts(void) { (void)save_and_disable_interrupts(); }

/* Calls a function that does not return, on a stack of which this is the top. */
static inline __attribute__((noreturn)) void chip_call_on_stack(const uint32_t *top, void (*function)(void)) {
    __asm volatile("mv sp, %0\n"
                   "jr %1" ::"r"(top),
                   "r"(function)
                   : "memory");
    __builtin_unreachable();
}

/* The address by which the boot ROM enters a function */
static inline uint32_t chip_entry(void (*function)(void)) { return (uintptr_t)function; }

/* Makes a semihosting call, which a simulator or a debugger answers. Without one, the call is a fault. */
static inline void chip_semihosting(uint32_t number, const uint32_t *block) {
    register uint32_t operation __asm__("a0") = number;
    register const uint32_t *argument __asm__("a1") = block;
    __asm volatile(".option push         \n"
                   ".option norvc        \n"
                   "slli x0, x0, 0x1f    \n"
                   "ebreak               \n"
                   "srai x0, x0, 7       \n"
                   ".option pop          \n" ::"r"(operation),
                   "r"(argument)
                   : "memory");
}

#endif
