/* This chip's own events for the recorder (core/trace.h): interrupts, and those that a core sends to the other. The
 * kernel's events come from its macros (port/freertos_smp/trace_esp_idf.h).
 *
 * Without a recorder none of this exists. */
#ifndef ESP32_TRACE_H
#define ESP32_TRACE_H

#include <stdint.h>

#include "esp32_handler.h"
#include "trace.h"

#ifdef IC_TRACE

/* Records the kernel's cross-core interrupt on both cores, until stopped. By the console task. */
void esp32_trace_start(void);
void esp32_trace_stop(void);

/* Entry of a core's table of handlers for the handler of that interrupt, and the handler of such an entry */
esp32_handler_t esp32_trace_handler(uint32_t core, esp32_handler_t handler);
esp32_handler_t esp32_trace_handled(uint32_t core, esp32_handler_t in_table);

/* The calling core is about to send that interrupt to a core. */
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
