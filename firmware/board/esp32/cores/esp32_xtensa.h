/* The few instructions of an Xtensa core that C has no words for (Xtensa ISA summary; LX6 of the ESP32 and LX7 of the
 * ESP32-S3 alike). Those that belong together are in one statement, so that nothing comes between them. */
#ifndef ESP32_XTENSA_H
#define ESP32_XTENSA_H

#include <stdbool.h>
#include <stdint.h>
#include <xtensa/config/core.h>

/* PRID is 0xCDCD on core 0 and 0xABAB on core 1: bit 13 tells them apart, as ESP-IDF does it. */
#define XTENSA_CORE_OF_PRID(prid) ((prid) >> 13U & 1U)

/* Masks interrupts up to the level of the kernel's critical sections, on this core, and returns what xtensa_unmask()
 * needs. Nests. */
static inline __attribute__((always_inline)) uint32_t xtensa_mask(void) {
    uint32_t state;
    __asm volatile("rsil %0, %1" : "=a"(state) : "i"(XCHAL_EXCM_LEVEL) : "memory");
    return state;
}

static inline __attribute__((always_inline)) void xtensa_unmask(uint32_t state) {
    __asm volatile("wsr.ps %0\n rsync" ::"a"(state) : "memory");
}

/* CCOUNT. */
static inline __attribute__((always_inline)) uint32_t xtensa_counter(void) {
    uint32_t counter;
    __asm volatile("rsr.ccount %0" : "=a"(counter)::"memory");
    return counter;
}

/* The core that executes this. */
static inline __attribute__((always_inline)) uint32_t xtensa_core(void) {
    uint32_t prid;
    __asm volatile("rsr.prid %0" : "=a"(prid));
    return XTENSA_CORE_OF_PRID(prid);
}

/* Masks interrupts and reads CCOUNT, and which core that was. */
static inline __attribute__((always_inline)) uint32_t xtensa_mask_and_read(uint32_t *core, uint32_t *counter) {
    uint32_t state;
    uint32_t prid;
    __asm volatile("rsil %0, %3\n"
                   "rsr.ccount %1\n"
                   "rsr.prid %2"
                   : "=&a"(state), "=&a"(*counter), "=&a"(prid)
                   : "i"(XCHAL_EXCM_LEVEL)
                   : "memory");
    *core = XTENSA_CORE_OF_PRID(prid);
    return state;
}

/* Waits until all loads and stores before are done. */
static inline __attribute__((always_inline)) void xtensa_wait_for_memory(void) { __asm volatile("memw" ::: "memory"); }

/* CCOMPARE1: when CCOUNT reads the same, interrupt XCHAL_TIMER1_INTERRUPT (15) is asked for until CCOMPARE1 is written
 * again. ESP-IDF leaves it free. */
static inline __attribute__((always_inline)) void xtensa_set_compare_1(uint32_t counter) {
    __asm volatile("wsr.ccompare1 %0\n esync" ::"a"(counter) : "memory");
}

/* Whether an interrupt is asked for, by its number, masked or not (INTERRUPT). */
static inline __attribute__((always_inline)) bool xtensa_is_pending(uint32_t number) {
    uint32_t pending;
    __asm volatile("rsr.interrupt %0" : "=a"(pending)::"memory");
    return (pending >> number & 1U) != 0;
}

/* CCOMPARE0: of the kernel's tick on the ESP32. */
static inline __attribute__((always_inline)) uint32_t xtensa_compare_0(void) {
    uint32_t counter;
    __asm volatile("rsr.ccompare0 %0" : "=a"(counter)::"memory");
    return counter;
}

#endif
