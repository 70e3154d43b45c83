/* This chip's own events for the recorder: its interrupts, and the interrupts that one core sends to the other. The
 * vector table contains a wrapper in place of each handler; the wrapper records an event before and after the handler.
 *
 * Without a recorder none of this is in the firmware. */
#ifndef RP2040_TRACE_H
#define RP2040_TRACE_H

#include <stdint.h>

typedef void (*rp2040_trace_handler_t)(void);

#ifdef IC_TRACE

/* What belongs in a core's vector table for a handler: a wrapper, or for system exceptions the handler itself */
rp2040_trace_handler_t rp2040_trace_handler(uint32_t core, uint32_t exception, rp2040_trace_handler_t handler);

/* The reverse: the handler that belongs to an entry of the table */
rp2040_trace_handler_t rp2040_trace_handled(uint32_t core, uint32_t exception, rp2040_trace_handler_t in_table);

/* Call it just before this core interrupts the other core; records the event. */
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
