/* Wait for, and wake-up of, the other end of something in shared memory */
#ifndef IC_WAITING_H
#define IC_WAITING_H

#include <stdbool.h>

struct ic_waiting {
    /* Returns when the other end has called its wake() since the last return, or earlier; false: the caller gives up. A
     * polling end checks here whether to continue, and returns at once. */
    bool (*wait)(void *arg);
    /* Wakes the other end if it is in its wait(), or makes its next one return at once: a wake is never lost. NULL if
     * the other end polls. Neither needs to order memory. */
    void (*wake)(void *arg);
    void *arg;
    /* Whether wait() needs the other end's wake() */
    bool sleeps;
};

struct ic_transport_end;

/* The wait and wake-up of a transport's end, from its setup. Each wait and wake reads the end. */
struct ic_waiting ic_waiting_of(struct ic_transport_end *end);

#endif
