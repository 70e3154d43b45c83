/* Interrupts for benchmarks: part of the platform interface (port.h).
 *
 * A handler runs on the core for which it was opened: as an interrupt on a chip, and as a signal handler in a thread
 * pinned to that core on Linux; the conditions `interrupt.timer` and `interrupt.doorbell` describe them. A handler may
 * call only port_clock(), port_core_id(), port_mark(), port_doorbell_ring() and port_notify_from_handler(). It blocks
 * the tasks of its core, and other handlers of its priority. Each core can have one open timer and one open doorbell;
 * open and close are for tasks. */
#ifndef PORT_INTERRUPT_H
#define PORT_INTERRUPT_H

#include "port.h"

/* Opens the timer: `handler` is then called on `core`, once for each port_timer_set(). PORT_ERR_RESOURCE if the
 * platform has no timer left, or no memory; the same for a doorbell. */
enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg);
void port_timer_close(void);

/* Sets the timer to fire once, when the common clock reads `when` or, if the timer is coarser than the clock, at its
 * next possible moment. Returns that moment exactly, on the common clock. `when` is 50 µs to 1 hour ahead. Another call
 * before it has fired replaces the moment. */
uint64_t port_timer_set(uint64_t when);

/* Opens the doorbell of a core: `handler` is called on `core` each time any core rings it. */
enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg);
void port_doorbell_close(uint32_t core);

/* Rings the doorbell of a core, from any core, including the same one (which then raises the interrupt in itself), from
 * tasks and handlers. Rings before the handler has begun may merge into one. Ringing and setting the timer order
 * memory: earlier writes are visible to the handler. */
void port_doorbell_ring(uint32_t core);

/* Like port_notify(), for handlers. Call it last: if the woken task is to run on this core at once, it does so when the
 * handler returns. */
void port_notify_from_handler(port_task_t *task);

#endif
