/* Time limit of each blocking system call in a transport made of Linux objects */
#ifndef SLICE_POSIX_H
#define SLICE_POSIX_H

#include <time.h>

#include "transport.h"

/* Returns the time, on the given system clock, at which a call that blocks from now on times out. */
static inline struct timespec posix_slice_end(clockid_t clock) {
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_sec += IC_TRANSPORT_SLICE_MS / 1000U;
    return when;
}

#endif
