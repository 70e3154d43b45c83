/* What the kernel's port needs to support the SDK's locks (pico_sync) and timed waits (pico_time). Nothing uses that
 * part of the port, and the linker removes it, but it must compile. */
#ifndef SDK_PICO_LOCK_CORE_H
#define SDK_PICO_LOCK_CORE_H

#include "hardware/sync.h"
#include "pico.h"

struct lock_core {
    spin_lock_t *spin_lock;
};

typedef uint64_t absolute_time_t; /* µs */

absolute_time_t get_absolute_time(void);
int64_t absolute_time_diff_us(absolute_time_t from, absolute_time_t to);
bool time_reached(absolute_time_t time);
bool best_effort_wfe_or_timeout(absolute_time_t until);

#endif
