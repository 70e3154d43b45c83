/* The parts of the pico-sdk that files shared with the RP2040 use, with the SDK's names, for the RISC-V cores. They
 * were written from the datasheet ("DS"). */
#ifndef SDK_PICO_H
#define SDK_PICO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The SIO registers of the FIFO between the cores (DS 3.1.11) */
typedef struct {
    const volatile uint32_t cpuid;
    volatile uint32_t gpio[19]; /* not used here */
    volatile uint32_t fifo_st;
    volatile uint32_t fifo_wr;
    const volatile uint32_t fifo_rd;
} sio_hw_t;
_Static_assert(offsetof(sio_hw_t, fifo_st) == 0x50, "DS 3.1.11");

#define sio_hw ((sio_hw_t *)0xd0000000U)

/* Returns the number of the calling core. */
static inline unsigned get_core_num(void) {
    unsigned core;
    __asm volatile("csrr %0, mhartid" : "=r"(core));
    return core;
}

#endif
