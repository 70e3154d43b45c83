/* The phase of a slower counter relative to the clock: SYSTIMER, which makes the kernel's tick, or a GPTimer. Both
 * count a fraction of the crystal from which the cores' clock is made, so the phase is constant. */
#ifndef ESP32_COUNTER_PHASE_H
#define ESP32_COUNTER_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "esp32_count.h"

struct esp32_counter_phase {
    uint64_t count;  /* a count of the counter */
    uint64_t clock;  /* the common clock at the begin of that count */
    uint64_t within; /* uncertainty of that, in cycles, either way */
    struct count_scale scale;
};

/* Determines the phase by some hundred readings of the counter, each between two of the clock, in a task that does not
 * leave its core. False if they contradict each other: the two do not run from one crystal. */
bool esp32_counter_phase_find(struct esp32_counter_phase *phase, uint64_t (*read)(void *context), void *context,
                              uint64_t counter_hz);

#endif
