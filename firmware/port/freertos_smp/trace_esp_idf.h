/* Events of ESP-IDF's FreeRTOS for the recorder (core/trace.h): the compiler's option -include puts this in front of
 * each source of the component `freertos` (board/esp32/component.cmake), whose FreeRTOS.h keeps macros that are already
 * defined. This kernel's macros are those of V11, plus these.
 *
 * Not included: the interrupt that it sends to the other core, which board/esp32 records by replacing the call, and
 * interrupts other than the tick. */
#ifndef TRACE_ESP_IDF_H
#define TRACE_ESP_IDF_H

#include <stdint.h>

#define TRACE_CURRENT pxCurrentTCBs[portGET_CORE_ID()]
#include "trace_freertos.h"

#define traceTASK_SWITCHED_OUT() TRACE_SWITCHED_OUT(TRACE_CURRENT)
#define traceTASK_SWITCHED_IN() TRACE_SWITCHED_IN(TRACE_CURRENT)

/* Taking a semaphore, and giving one in a handler, are not receiving from a queue, or sending. */
#define traceQUEUE_SEMAPHORE_RECEIVE(pxQueue) TRACE_QUEUE(IC_TRACE_TAKEN, pxQueue)
#define traceQUEUE_GIVE_FROM_ISR(pxQueue) TRACE_QUEUE(IC_TRACE_GIVEN, pxQueue)

/* The one handler in the component is the tick's (port_systick.c). It ends with one of two macros; other handlers use
 * the second one to request a switch, and the board distinguishes them. Supplied by the board. */
void trace_esp_idf_tick_begins(uint32_t number);
void trace_esp_idf_tick_ends(void);
#define traceISR_ENTER(xNumber) trace_esp_idf_tick_begins((uint32_t)(xNumber))
#define traceISR_EXIT() trace_esp_idf_tick_ends()
#define traceISR_EXIT_TO_SCHEDULER() trace_esp_idf_tick_ends()

#endif
