/* This chip's own events for the recorder: interrupts, and those that a core sends to the other. The vector table has a
 * wrapper for each handler, which records an event before and after it.
 *
 * Without a recorder none of this exists. */
#ifndef RP2040_TRACE_H
#define RP2040_TRACE_H

#include <stdint.h>

typedef void (*rp2040_trace_handler_t)(void);

#ifdef IC_TRACE

/* Entry of a core's vector table for a handler: the handler itself for system exceptions */
rp2040_trace_handler_t rp2040_trace_handler(uint32_t core, uint32_t exception, rp2040_trace_handler_t handler);

/* The handler of such an entry */
rp2040_trace_handler_t rp2040_trace_handled(uint32_t core, uint32_t exception, rp2040_trace_handler_t in_table);

/* The core is about to send an interrupt to the other one. */
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
