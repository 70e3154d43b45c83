/* Busy waiting: time that passes in an empty loop, without a look at the clock. */
#ifndef IC_BUSY_WAIT_H
#define IC_BUSY_WAIT_H

#include <stdint.h>

/* Turns of an empty loop. */
void ic_busy_wait(uint32_t turns);

/* Turns that take `ticks` of the common clock, on this core, when nothing interrupts. Takes some time to find out. */
uint32_t ic_busy_wait_turns(uint64_t ticks);

#endif
