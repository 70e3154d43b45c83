/* Core 1, and the FIFOs between the cores. */
#ifndef SDK_PICO_MULTICORE_H
#define SDK_PICO_MULTICORE_H

#include "pico.h"

/* Resets core 1 into the boot ROM, where it waits to be launched. */
void multicore_reset_core1(void);

/* Makes core 1 run `entry` on its own main stack and with its own vector table. Returns when core 1 has begun. */
void multicore_launch_core1(void (*entry)(void));

/* Discards the words that have come from the other core. */
static inline void multicore_fifo_drain(void) {
    while ((sio_hw->fifo_st & 1U) != 0) { /* VLD */
        (void)sio_hw->fifo_rd;
    }
}

/* Clears the FIFO's sticky error flags, which also keep the interrupt pending. */
static inline void multicore_fifo_clear_irq(void) { sio_hw->fifo_st = 0xffU; }

#endif
