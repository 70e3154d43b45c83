/* How an end of something in shared memory waits for the other end, and wakes it. */
#ifndef IC_WAITING_H
#define IC_WAITING_H

#include <stdbool.h>

struct ic_waiting {
    /* Returns when the other end has called its wake() since the last return, or earlier; false: no more waiting, the
     * caller gives up. An end that polls looks here whether it shall go on, and returns at once. */
    bool (*wait)(void *arg);
    /* Wakes the other end if it is in its wait(), or lets its next one return at once: a wake is never lost. NULL if
     * the other end polls. Both order memory no further than they like. */
    void (*wake)(void *arg);
    void *arg;
    /* Whether wait() needs the other end's wake(). */
    bool sleeps;
};

struct ic_transport_end;

/* What an end of a transport has for it: its setup's. The end is looked at in each wait and wake. */
struct ic_waiting ic_waiting_of(struct ic_transport_end *end);

#endif
