/* What this chip records by itself, where there is a recorder (core/trace.h): interrupts, and those that a core sends
 * to the other. The kernel's own events are its macros' (port/freertos_smp/trace_esp_idf.h).
 *
 * Without a recorder nothing of this is there. */
#ifndef ESP32_TRACE_H
#define ESP32_TRACE_H

#include <stdint.h>

#include "esp32_handler.h"
#include "trace.h"

#ifdef IC_TRACE

/* Lets the kernel's cross-core interrupt be seen on both cores, until stopped. By the console task. */
void esp32_trace_start(void);
void esp32_trace_stop(void);

/* What stands in a core's table of handlers for the one that takes that interrupt, and the one that is meant by what
 * stands there. */
esp32_handler_t esp32_trace_handler(uint32_t core, esp32_handler_t handler);
esp32_handler_t esp32_trace_handled(uint32_t core, esp32_handler_t in_table);

/* The core that calls is about to send that interrupt to a core. */
void esp32_trace_ring(uint32_t core);

/* A handler begins, and is about to end. */
void esp32_trace_enter(enum ic_trace_cause cause, uint32_t number);
void esp32_trace_leave(enum ic_trace_cause cause, uint32_t number);

#else

static inline void esp32_trace_start(void) {}
static inline void esp32_trace_stop(void) {}

static inline esp32_handler_t esp32_trace_handler(uint32_t core, esp32_handler_t handler) {
    (void)core;
    return handler;
}

static inline esp32_handler_t esp32_trace_handled(uint32_t core, esp32_handler_t in_table) {
    (void)core;
    return in_table;
}

static inline void esp32_trace_ring(uint32_t core) { (void)core; }

static inline void esp32_trace_enter(enum ic_trace_cause cause, uint32_t number) {
    (void)cause;
    (void)number;
}

static inline void esp32_trace_leave(enum ic_trace_cause cause, uint32_t number) {
    (void)cause;
    (void)number;
}

#endif
#endif
