/* What this chip records by itself, where there is a recorder: interrupts, and those that a core sends to the other. A
 * handler is called by one that stands in the vector table for it, and puts an event in before and behind.
 *
 * Without a recorder nothing of this is there. */
#ifndef RP2040_TRACE_H
#define RP2040_TRACE_H

#include <stdint.h>

typedef void (*rp2040_trace_handler_t)(void);

#ifdef IC_TRACE

/* What stands in a core's vector table for a handler: itself, for what is no interrupt. */
rp2040_trace_handler_t rp2040_trace_handler(uint32_t core, uint32_t exception, rp2040_trace_handler_t handler);

/* The handler that is meant by what stands there. */
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
