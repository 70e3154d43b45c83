/* How one end of a ring in shared memory (spsc.h, vring.h) waits for the other end, and wakes it */
#ifndef IC_WAITING_H
#define IC_WAITING_H

#include <stdbool.h>

struct ic_waiting {
    /* Waits until the other end calls its wake(), and returns at once if wake() has been called since the previous
     * return. It may also return earlier. Returns false if the caller must give up. For a polling end, wait() does not
     * wait: it only returns whether to continue. */
    bool (*wait)(void *arg);
    /* Wakes the other end if it is in its wait(), or makes its next wait() return at once: a wake is never lost. NULL
     * if the other end polls. Neither wait() nor wake() needs to order memory. */
    void (*wake)(void *arg);
    void *arg;
    /* Whether wait() sleeps until the other end calls its wake() */
    bool sleeps;
};

struct ic_transport_end;

/* Returns the wait() and wake() for one end of a transport. The end's setup says whether wait() sleeps or polls. If
 * wait() polls, wake is NULL. Both take `end` as their argument, so `end` must stay valid for as long as they are
 * called. */
struct ic_waiting ic_waiting_of(struct ic_transport_end *end);

#endif
