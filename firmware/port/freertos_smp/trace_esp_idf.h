/* What the recorder (core/trace.h) records of ESP-IDF's FreeRTOS: the compiler's option -include puts it in front of
 * each source of the component `freertos` (board/esp32/component.cmake), whose FreeRTOS.h leaves open what is defined
 * before. This kernel's macros are those of V11, with these beside them.
 *
 * Not there: the interrupt that it sends to the other core, which board/esp32 records in the place of the call, and
 * interrupts other than the tick. */
#ifndef TRACE_ESP_IDF_H
#define TRACE_ESP_IDF_H

#include <stdint.h>

#define TRACE_CURRENT pxCurrentTCBs[portGET_CORE_ID()]
#include "trace_freertos.h"

#define traceTASK_SWITCHED_OUT() TRACE_SWITCHED_OUT(TRACE_CURRENT)
#define traceTASK_SWITCHED_IN() TRACE_SWITCHED_IN(TRACE_CURRENT)

/* A semaphore that is taken, and one that is given by a handler, are not what is received from a queue, or sent. */
#define traceQUEUE_SEMAPHORE_RECEIVE(pxQueue) TRACE_QUEUE(IC_TRACE_TAKEN, pxQueue)
#define traceQUEUE_GIVE_FROM_ISR(pxQueue) TRACE_QUEUE(IC_TRACE_GIVEN, pxQueue)

/* The one handler in the component is the tick's (port_systick.c). It ends by one of two macros, and the second of them
 * is where any other handler asks for a switch, too: which it is, the board knows. Supplied by the board. */
void trace_esp_idf_tick_begins(uint32_t number);
void trace_esp_idf_tick_ends(void);
#define traceISR_ENTER(xNumber) trace_esp_idf_tick_begins((uint32_t)(xNumber))
#define traceISR_EXIT() trace_esp_idf_tick_ends()
#define traceISR_EXIT_TO_SCHEDULER() trace_esp_idf_tick_ends()

#endif
