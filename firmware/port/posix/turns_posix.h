/* Time slicing between tasks of equal priority (port_time_slicing) */
#ifndef TURNS_POSIX_H
#define TURNS_POSIX_H

#include <stdbool.h>

/* Time slice of a task, in milliseconds of processor time. It is longer where the system's timer tick (CONFIG_HZ) is
 * coarser. */
#define TURNS_POSIX_MS 5

/* Makes the calling thread yield after each time slice. Returns false if the system has no timer left. */
bool turns_posix_begin(void);

/* Ends the yielding. Call it in the same thread. */
void turns_posix_end(void);

#endif
