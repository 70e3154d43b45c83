/* The phase of a slower counter on the common clock: the clock's reading when the counter reaches a certain value. The
 * counter is SYSTIMER, which makes the kernel's tick, or a GPTimer. Its rate is a fraction of the crystal's rate, from
 * which the cores' clock is also made, so the phase is constant. */
#ifndef ESP32_COUNTER_PHASE_H
#define ESP32_COUNTER_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "esp32_count.h"

struct esp32_counter_phase {
    uint64_t count;  /* a value of the counter */
    uint64_t clock;  /* the common clock when the counter reached that value */
    uint64_t within; /* uncertainty of `clock`: it may be this many cycles higher or lower */
    struct count_scale scale;
};

/* Determines the phase from 256 readings of the counter, each between two readings of the clock. Call it in a pinned
 * task. Returns false if the readings contradict each other: then the counter and the clock do not come from one
 * crystal. */
bool esp32_counter_phase_find(struct esp32_counter_phase *phase, uint64_t (*read)(void *context), void *context,
                              uint64_t counter_hz);

#endif
