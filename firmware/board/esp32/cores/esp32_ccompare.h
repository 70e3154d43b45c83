/* The comparators of an Xtensa core's cycle counter (Xtensa ISA summary, "Timer interrupt option"; the cores are LX6 in
 * the ESP32 and LX7 in the ESP32-S3) */
#ifndef ESP32_CCOMPARE_H
#define ESP32_CCOMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <xtensa/config/core.h>

/* Sets CCOMPARE1. When CCOUNT reads that value, interrupt XCHAL_TIMER1_INTERRUPT (15) is requested, and stays requested
 * until CCOMPARE1 is written again. ESP-IDF does not use CCOMPARE1. */
static inline __attribute__((always_inline)) void ccompare_set_1(uint32_t counter) {
    __asm volatile("wsr.ccompare1 %0\n esync" ::"a"(counter) : "memory");
}

/* Whether the interrupt with this number is pending, masked or not (register INTERRUPT) */
static inline __attribute__((always_inline)) bool ccompare_is_pending(uint32_t number) {
    uint32_t pending;
    __asm volatile("rsr.interrupt %0" : "=a"(pending)::"memory");
    return (pending >> number & 1U) != 0;
}

/* Reads CCOMPARE0, which makes the kernel's tick on the ESP32. */
static inline __attribute__((always_inline)) uint32_t ccompare_0(void) {
    uint32_t counter;
    __asm volatile("rsr.ccompare0 %0" : "=a"(counter)::"memory");
    return counter;
}

#endif
