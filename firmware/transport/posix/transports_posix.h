/* The transports that are made of what Linux has for threads and processes. A board that runs on it lists them
 * (port_transport()). */
#ifndef TRANSPORTS_POSIX_H
#define TRANSPORTS_POSIX_H

#include <time.h>

#include "transport.h"

extern const struct ic_transport ic_transport_queue;
extern const struct ic_transport ic_transport_pipe;
extern const struct ic_transport ic_transport_unix_socket;
extern const struct ic_transport ic_transport_posix_mq;
extern const struct ic_transport ic_transport_notification;
extern const struct ic_transport ic_transport_ring_futex;

/* The moment by a clock of the system at which a wait that begins now looks whether all is over. */
static inline struct timespec posix_slice_end(clockid_t clock) {
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_sec += IC_TRANSPORT_SLICE_MS / 1000U;
    return when;
}

#endif
