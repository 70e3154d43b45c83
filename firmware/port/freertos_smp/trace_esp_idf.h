/* Events of ESP-IDF's FreeRTOS for the recorder (core/trace.h). The compiler's option -include puts this header in
 * front of each source of the component `freertos` (board/esp32/component.cmake), whose FreeRTOS.h keeps macros that
 * are already defined. ESP-IDF's kernel has the trace macros of FreeRTOS V11 (trace_freertos.h), and the macros below.
 *
 * Interrupts other than the tick are not recorded here. The kernel's interrupt to the other core is recorded in
 * board/esp32, which wraps the call that sends it. */
#ifndef TRACE_ESP_IDF_H
#define TRACE_ESP_IDF_H

#include <stdint.h>

#define TRACE_CURRENT pxCurrentTCBs[portGET_CORE_ID()]
#include "trace_freertos.h"

#define traceTASK_SWITCHED_OUT() TRACE_SWITCHED_OUT(TRACE_CURRENT)
#define traceTASK_SWITCHED_IN() TRACE_SWITCHED_IN(TRACE_CURRENT)

/* ESP-IDF's kernel has separate macros for taking a semaphore and for giving one in a handler. In V11 the macros for
 * receiving from a queue and sending to a queue also cover semaphores. */
#define traceQUEUE_SEMAPHORE_RECEIVE(pxQueue) TRACE_QUEUE(IC_TRACE_TAKEN, pxQueue)
#define traceQUEUE_GIVE_FROM_ISR(pxQueue) TRACE_QUEUE(IC_TRACE_GIVEN, pxQueue)

/* The only interrupt handler in this component is the tick's (port_systick.c). It ends with traceISR_EXIT or
 * traceISR_EXIT_TO_SCHEDULER. Other handlers use the second macro as well, to request a switch;
 * trace_esp_idf_tick_ends(), which the board supplies, ignores them. */
void trace_esp_idf_tick_begins(uint32_t number);
void trace_esp_idf_tick_ends(void);
#define traceISR_ENTER(xNumber) trace_esp_idf_tick_begins((uint32_t)(xNumber))
#define traceISR_EXIT() trace_esp_idf_tick_ends()
#define traceISR_EXIT_TO_SCHEDULER() trace_esp_idf_tick_ends()

#endif
