/* The trace events that only this chip has: its interrupts, and the interrupts that one core raises on the other. The
 * vector table contains a wrapper in place of each handler; the wrapper records an event before and after the handler.
 *
 * Unless the firmware is built with the trace recorder (IC_TRACE), these functions do nothing. */
#ifndef RP2040_TRACE_H
#define RP2040_TRACE_H

#include <stdint.h>

typedef void (*rp2040_trace_handler_t)(void);

#ifdef IC_TRACE

/* Returns what a core's vector table must contain for `handler`: the wrapper, or for system exceptions the handler
 * itself */
rp2040_trace_handler_t rp2040_trace_handler(uint32_t core, uint32_t exception, rp2040_trace_handler_t handler);

/* The reverse of rp2040_trace_handler(): returns the handler that runs if the vector table contains `in_table` */
rp2040_trace_handler_t rp2040_trace_handled(uint32_t core, uint32_t exception, rp2040_trace_handler_t in_table);

/* Records that this core interrupts the other core. Call it just before the interrupt is raised. */
void rp2040_trace_ring(void);

#else

static inline rp2040_trace_handler_t rp2040_trace_handler(uint32_t core, uint32_t exception,
                                                          rp2040_trace_handler_t handler) {
    (void)core;
    (void)exception;
    return handler;
}

static inline rp2040_trace_handler_t rp2040_trace_handled(uint32_t core, uint32_t exception,
                                                          rp2040_trace_handler_t in_table) {
    (void)core;
    (void)exception;
    return in_table;
}

static inline void rp2040_trace_ring(void) {}

#endif
#endif
