/* A pin that raises an interrupt by itself, for benchmarks: part of the platform interface (port.h). It is an output
 * whose own input reads its level, so no wire is needed; nothing may be connected to it. The condition `interrupt.pin`
 * names it (docs/conditions.md). A platform without such a pin takes port/pin_none.c. */
#ifndef PORT_PIN_H
#define PORT_PIN_H

#include "port.h"

/* Whether there is a pin. Only then may the functions below be called. */
bool port_pin_exists(void);

/* Opens the pin: from now on `handler` is called on `core`, as a handler of port_interrupt.h, once for each edge.
 * Returns PORT_ERR_RESOURCE like port_timer_open(). */
enum port_error port_pin_open(uint32_t core, void (*handler)(void *arg), void *arg);
void port_pin_close(void);

/* Reads the common clock and then changes the pin's level at once, which is an edge; returns the reading. Between the
 * two it does not wait for code. Call it in a task, on any core, when the edge before this one has been handled.
 * Everything written before is visible to the handler. */
uint64_t port_pin_toggle(void);

#endif
