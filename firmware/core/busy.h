/* Time that passes busily, without a look at the clock. */
#ifndef IC_BUSY_H
#define IC_BUSY_H

#include <stdint.h>

/* Turns of an empty loop. */
void ic_busy(uint32_t turns);

/* Turns that take `ticks` of the common clock, on this core, when nothing interrupts. Takes some time to find out. */
uint32_t ic_busy_turns(uint64_t ticks);

#endif
