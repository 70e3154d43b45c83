/* How one end of a structure in shared memory waits for the other end, and wakes it */
#ifndef IC_WAITING_H
#define IC_WAITING_H

#include <stdbool.h>

struct ic_waiting {
    /* Returns when the other end has called its wake() since this function returned last; it may also return earlier.
     * False: the caller gives up. For a polling end this function returns at once, and only says whether to
     * continue. */
    bool (*wait)(void *arg);
    /* Wakes the other end if it is in its wait(), or makes its next wait() return at once: a wake is never lost. NULL
     * if the other end polls. Neither wait() nor wake() needs to order memory. */
    void (*wake)(void *arg);
    void *arg;
    /* Whether wait() needs the other end's wake() */
    bool sleeps;
};

struct ic_transport_end;

/* Returns the wait() and wake() for one end of a transport. wait() sleeps or polls, as its setup says. If it
 * polls, wake is NULL. Both take `end` as their argument, so `end` must stay valid for as long as they are called. */
struct ic_waiting ic_waiting_of(struct ic_transport_end *end);

#endif
