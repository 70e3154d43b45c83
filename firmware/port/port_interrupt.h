/* Interrupts that benchmarks cause: a part of what a platform supplies, beside port.h.
 *
 * A handler runs on the core it was asked for, as an interrupt on a chip and as a signal handler in a thread pinned to
 * that core on Linux; the conditions `interrupt.timer` and `interrupt.doorbell` say what they are. In a handler only
 * port_clock(), port_core_id(), port_mark(), port_doorbell_ring() and port_notify_from_handler() may be called. It
 * keeps out the tasks of its core, and other handlers where it has their priority. One timer and one doorbell per core
 * can be open at a time; open and close are for tasks. */
#ifndef PORT_INTERRUPT_H
#define PORT_INTERRUPT_H

#include "port.h"

/* Opens the timer: from now on `handler` is called on `core`, once for each port_timer_set(). PORT_ERR_RESOURCE if the
 * platform has no timer left, or no memory; the same of a doorbell. */
enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg);
void port_timer_close(void);

/* Lets the timer fire once, when the common clock reads `when` or, where the timer counts more coarsely than the clock,
 * at the next moment it can. Returns that moment exactly, on the common clock. `when` is at least 50 µs and at most an
 * hour ahead. Setting it again before it has fired puts the new moment in place of the old one. */
uint64_t port_timer_set(uint64_t when);

/* Opens the doorbell of a core: `handler` is called on `core` each time any core rings it. */
enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg);
void port_doorbell_close(uint32_t core);

/* Rings, from any core, also from the core itself (there it is an interrupt that the core raises in itself). From tasks
 * and from handlers. Ringing again before the handler has begun may be one ring. Ringing and setting the timer order
 * memory: what was written before is visible to the handler. */
void port_doorbell_ring(uint32_t core);

/* As port_notify(), for handlers; to be called last: where the woken task is to run on this core at once, it does when
 * the handler returns. */
void port_notify_from_handler(port_task_t *task);

#endif
