/* Core functions that C does not have: mask interrupts, count cycles, identify the core. They have the same names on
 * Xtensa (ESP32, ESP32-S3) and RISC-V (ESP32-P4 and later).
 *
 * The cycle counter is read by ESP-IDF's esp_cpu_get_cycle_count(), which knows the chip's counter: CCOUNT on Xtensa,
 * `cycle` or Espressif's own counter on RISC-V. The core's number is read from its register, not by ESP-IDF's
 * functions: those are declared pure, so the compiler may call them before interrupts are masked and use the result
 * after that, on another core. */
#ifndef ESP32_CPU_H
#define ESP32_CPU_H

#include <stdint.h>

#include "esp32_idf.h"

#define CPU_INLINE static inline __attribute__((always_inline))

/* Bits of the cycle counter. Must be a bare literal, because it also becomes the text of `clock.counter_bits`, a
 * property of the target that is stored with each run. */
#define CPU_COUNTER_BITS 32

#if defined(__XTENSA__)

#include <xtensa/config/core.h>

#define CPU_NAME "xtensa"
#define CPU_COUNTER "CCOUNT"
#define CPU_ATOMIC "S32C1I"
#define CPU_SLEEP "WAITI"

/* Masks the interrupts of this core up to the level of the kernel's critical sections. Returns the state for
 * cpu_unmask(). May be nested. */
CPU_INLINE uint32_t cpu_mask(void) {
    uint32_t state;
    __asm volatile("rsil %0, %1" : "=a"(state) : "i"(XCHAL_EXCM_LEVEL) : "memory");
    return state;
}

CPU_INLINE void cpu_unmask(uint32_t state) { __asm volatile("wsr.ps %0\n rsync" ::"a"(state) : "memory"); }

/* The core that executes this. The register PRID is 0xCDCD on core 0 and 0xABAB on core 1; bit 13 tells them apart, as
 * in ESP-IDF. */
CPU_INLINE uint32_t cpu_core(void) {
    uint32_t prid;
    __asm volatile("rsr.prid %0" : "=a"(prid));
    return prid >> 13U & 1U;
}

/* Waits until all previous loads and stores are complete. */
CPU_INLINE void cpu_wait_for_memory(void) { __asm volatile("memw" ::: "memory"); }

#elif defined(__riscv)

#define CPU_NAME "riscv"
#define CPU_COUNTER "the cycle counter"
#define CPU_ATOMIC "LR and SC"
#define CPU_SLEEP "WFI"

/* The bit MIE of mstatus enables all interrupts of the core (RISC-V Privileged Architecture, "Machine Status
 * Registers"). */
#define CPU_MSTATUS_MIE 8

/* Masks the interrupts of this core. Returns the state for cpu_unmask(). May be nested. */
CPU_INLINE uint32_t cpu_mask(void) {
    uint32_t state;
    __asm volatile("csrrci %0, mstatus, %1" : "=r"(state) : "i"(CPU_MSTATUS_MIE) : "memory");
    return state;
}

CPU_INLINE void cpu_unmask(uint32_t state) {
    __asm volatile("csrs mstatus, %0" ::"r"(state & CPU_MSTATUS_MIE) : "memory");
}

/* The core that executes this */
CPU_INLINE uint32_t cpu_core(void) {
    uint32_t hart;
    __asm volatile("csrr %0, mhartid" : "=r"(hart));
    return hart;
}

/* Waits until all previous loads and stores are complete. */
CPU_INLINE void cpu_wait_for_memory(void) { __asm volatile("fence" ::: "memory"); }

#else
#error "Intercore knows Espressif's chips with Xtensa and with RISC-V cores, and this is neither"
#endif

/* This core's cycle counter. The compiler does not move memory accesses across it. */
CPU_INLINE uint32_t cpu_counter(void) {
    __asm volatile("" ::: "memory");
    uint32_t counter = esp_cpu_get_cycle_count();
    __asm volatile("" ::: "memory");
    return counter;
}

/* Masks interrupts, then reads the counter and the number of the core. Returns the state for cpu_unmask(). */
CPU_INLINE uint32_t cpu_mask_and_read(uint32_t *core, uint32_t *counter) {
    uint32_t state = cpu_mask();
    *counter = cpu_counter();
    *core = cpu_core();
    return state;
}

#endif
