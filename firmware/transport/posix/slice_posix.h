/* For how long a transport that is made of what Linux has for threads and processes waits at a time. */
#ifndef SLICE_POSIX_H
#define SLICE_POSIX_H

#include <time.h>

#include "transport.h"

/* The moment by a clock of the system at which a wait that begins now looks whether all is over. */
static inline struct timespec posix_slice_end(clockid_t clock) {
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_sec += IC_TRANSPORT_SLICE_MS / 1000U;
    return when;
}

#endif
