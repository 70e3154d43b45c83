/* Where a counter of the chip that is slower than the clock stands beside it: SYSTIMER, which makes the kernel's tick,
 * or a GPTimer. Both count a part of the crystal from which the cores' clock is made, so what is found once stays so.
 */
#ifndef ESP32_BESIDE_H
#define ESP32_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "esp32_count.h"

struct esp32_beside {
    uint64_t count;  /* some count of the counter */
    uint64_t clock;  /* the common clock when it began */
    uint64_t within; /* cycles by which that can be wrong, either way */
    struct count_scale scale;
};

/* Finds that out by some hundred readings of the counter, each between two of the clock, on a core that the task does
 * not leave. False if they contradict each other: the two do not run from one crystal. */
bool esp32_beside_find(struct esp32_beside *beside, uint64_t (*read)(void *context), void *context,
                       uint64_t counter_hz);

#endif
