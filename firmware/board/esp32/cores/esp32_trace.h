/* Events of this chip for the recorder of a trace (core/trace.h): its interrupts, and the interrupts that one core
 * sends to the other. The kernel's events come from its trace macros (port/freertos_smp/trace_esp_idf.h).
 *
 * In firmware without the recorder, these functions do nothing. */
#ifndef ESP32_TRACE_H
#define ESP32_TRACE_H

#include <stdint.h>

#include "esp32_handler.h"
#include "trace.h"

#ifdef IC_TRACE

/* Start and stop recording the kernel's cross-core interrupt on both cores. Called by the console task. */
void esp32_trace_start(void);
void esp32_trace_stop(void);

/* While events are recorded, the table of interrupt handlers contains a wrapper in place of the kernel's handler. The
 * first function takes the handler and returns what belongs in the table; the second does the reverse. */
esp32_handler_t esp32_trace_handler(uint32_t core, esp32_handler_t handler);
esp32_handler_t esp32_trace_handled(uint32_t core, esp32_handler_t in_table);

/* Records that this core is about to send the cross-core interrupt to `core`; call it just before sending. An
 * interrupt to the calling core itself is not recorded. */
void esp32_trace_ring(uint32_t core);

/* Record the start and the end of an interrupt handler. Call the first when the handler begins, the second when it is
 * about to end. */
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
