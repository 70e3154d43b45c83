/* Busy waiting in an empty loop, without reading the clock. */
#ifndef IC_BUSY_WAIT_H
#define IC_BUSY_WAIT_H

#include <stdint.h>

/* Runs `turns` iterations of an empty loop. */
void ic_busy_wait(uint32_t turns);

/* Returns how many iterations take `ticks` ticks of the common clock on this core if no interrupt comes. Calibrates the
 * loop first, with 8000 iterations. */
uint32_t ic_busy_wait_turns(uint64_t ticks);

#endif
