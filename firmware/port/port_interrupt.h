/* Interrupts for benchmarks: part of the platform interface (port.h).
 *
 * Each core can have one open timer and one open doorbell (an interrupt that one core raises on another). A handler
 * runs on the core for which it was opened: on a chip as an interrupt, on Linux as a signal handler in a thread pinned
 * to that core. The target reports which timer and doorbell it uses as its conditions `interrupt.timer` and
 * `interrupt.doorbell` (docs/conditions.md).
 *
 * A handler may call only port_clock(), port_core_id(), port_mark(), port_doorbell_ring() and
 * port_notify_from_handler(), and the timer's handler also port_timer_set(). While a handler runs, the tasks of its
 * core and other handlers of the same priority wait. Open and close timers and doorbells in tasks only. */
#ifndef PORT_INTERRUPT_H
#define PORT_INTERRUPT_H

#include "port.h"

/* Whether a handler may be late by any time, as where other programs have the core. port_types.h says so. */
#ifndef PORT_HANDLERS_MAY_BE_LATE
#define PORT_HANDLERS_MAY_BE_LATE 0
#endif

/* Opens the timer: from now on `handler` is called on `core`, once for each port_timer_set(). Returns PORT_ERR_RESOURCE
 * if the platform has no timer left, or no memory. */
enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg);
void port_timer_close(void);

/* Sets the timer to fire once, when the common clock reads `when`, which must be 50 µs to 1 hour ahead. A timer that is
 * coarser than the clock fires at its next possible moment. Returns the exact moment at which the timer will fire, on
 * the common clock. A call before the timer has fired replaces the earlier moment. */
uint64_t port_timer_set(uint64_t when);

/* Opens the doorbell of a core: from now on `handler` is called on `core` each time that any core rings this doorbell.
 * Returns PORT_ERR_RESOURCE like port_timer_open(). */
enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg);
void port_doorbell_close(uint32_t core);

/* Rings the doorbell of a core. May be called on any core, including the core that is rung, in tasks and in handlers.
 * If a doorbell is rung several times before its handler begins, the handler may be called only once. Everything
 * written before a doorbell is rung, or before the timer is set, is visible to the handler. */
void port_doorbell_ring(uint32_t core);

/* Like port_notify(), but for handlers. It must be the last call in the handler: if the woken task is to run on this
 * core, it runs as soon as the handler returns. */
void port_notify_from_handler(port_task_t *task);

#endif
