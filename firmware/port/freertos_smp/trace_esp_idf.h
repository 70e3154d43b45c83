/* Events of ESP-IDF's FreeRTOS for the recorder (core/trace.h). The compiler's option -include puts this header in
 * front of each source of the component `freertos` (board/esp32/component.cmake), whose FreeRTOS.h keeps macros that
 * are already defined. This kernel has the trace macros of V11, and those below.
 *
 * Not included are interrupts other than the tick, and the interrupt that the kernel sends to the other core:
 * board/esp32 records that one by replacing the call. */
#ifndef TRACE_ESP_IDF_H
#define TRACE_ESP_IDF_H

#include <stdint.h>

#define TRACE_CURRENT pxCurrentTCBs[portGET_CORE_ID()]
#include "trace_freertos.h"

#define traceTASK_SWITCHED_OUT() TRACE_SWITCHED_OUT(TRACE_CURRENT)
#define traceTASK_SWITCHED_IN() TRACE_SWITCHED_IN(TRACE_CURRENT)

/* This kernel has separate macros for taking a semaphore and for giving one in a handler. V11 uses the macros of
 * receiving from a queue and sending to it. */
#define traceQUEUE_SEMAPHORE_RECEIVE(pxQueue) TRACE_QUEUE(IC_TRACE_TAKEN, pxQueue)
#define traceQUEUE_GIVE_FROM_ISR(pxQueue) TRACE_QUEUE(IC_TRACE_GIVEN, pxQueue)

/* The only handler in this component is the tick's (port_systick.c). It ends with one of two macros. Other handlers use
 * the second macro to request a switch; the functions, which the board supplies, tell the two uses apart. */
void trace_esp_idf_tick_begins(uint32_t number);
void trace_esp_idf_tick_ends(void);
#define traceISR_ENTER(xNumber) trace_esp_idf_tick_begins((uint32_t)(xNumber))
#define traceISR_EXIT() trace_esp_idf_tick_ends()
#define traceISR_EXIT_TO_SCHEDULER() trace_esp_idf_tick_ends()

#endif
