/* Records trace events of a FreeRTOS kernel (core/trace.h) in the kernel's trace macros. Each FreeRTOSConfig.h for V11
 * includes this header, and so does trace_esp_idf.h for ESP-IDF; the macros are expanded in the kernel's sources.
 * Without a recorder the macros are empty.
 *
 * A task's number in the recorder is kept in uxTaskNumber, a field that the kernel reserves for "third party trace
 * code". The field ucQueueType, which the kernel also keeps for such code, tells whether a queue is a semaphore or a
 * mutex. */
#ifndef TRACE_FREERTOS_H
#define TRACE_FREERTOS_H

#ifdef IC_TRACE
#include "trace.h"

/* The running task of the calling core. A kernel with another name for this variable defines the macro first. */
#ifndef TRACE_CURRENT
#define TRACE_CURRENT pxCurrentTCB
#endif

/* ---- tasks ---- */

#define TRACE_SWITCHED_OUT(pxTCB)                                                                                      \
    ic_trace(IC_TRACE_OUT,                                                                                             \
             listLIST_ITEM_CONTAINER(&(pxTCB)->xStateListItem) == &pxReadyTasksLists[(pxTCB)->uxPriority],             \
             (pxTCB)->uxTaskNumber);
#define TRACE_SWITCHED_IN(pxTCB) ic_trace(IC_TRACE_IN, 0, (pxTCB)->uxTaskNumber);

#define traceTASK_CREATE(pxTCB)                                                                                        \
    (pxTCB)->uxTaskNumber = ic_trace_task((pxTCB)->pcTaskName);                                                        \
    ic_trace(IC_TRACE_CREATED, 0, (pxTCB)->uxTaskNumber)
#define traceTASK_DELETE(pxTCB) ic_trace(IC_TRACE_DELETED, 0, (pxTCB)->uxTaskNumber)
#define traceMOVED_TASK_TO_READY_STATE(pxTCB) ic_trace(IC_TRACE_READY, 0, (pxTCB)->uxTaskNumber)
#define traceTASK_DELAY() ic_trace(IC_TRACE_DELAYED, 0, TRACE_CURRENT->uxTaskNumber)
#define traceTASK_DELAY_UNTIL(xWhen) ic_trace(IC_TRACE_DELAYED, 0, TRACE_CURRENT->uxTaskNumber)
#define traceTASK_SUSPEND(pxTCB) ic_trace(IC_TRACE_SUSPENDED, 0, (pxTCB)->uxTaskNumber)
#define traceTASK_RESUME(pxTCB) ic_trace(IC_TRACE_RESUMED, 0, (pxTCB)->uxTaskNumber)
#define traceTASK_RESUME_FROM_ISR(pxTCB) ic_trace(IC_TRACE_RESUMED, 0, (pxTCB)->uxTaskNumber)
#define traceTASK_PRIORITY_INHERIT(pxTCB, uxLent) ic_trace(IC_TRACE_INHERITED, uxLent, (pxTCB)->uxTaskNumber)
#define traceTASK_INCREMENT_TICK(xCount) ic_trace(IC_TRACE_TICK, 0, xCount)

/* ---- notifications ---- */

#define TRACE_NOTIFIED() ic_trace(IC_TRACE_GIVEN, IC_TRACE_NOTIFICATION, pxTCB->uxTaskNumber)
#define traceTASK_NOTIFY(uxIndex) TRACE_NOTIFIED()
#define traceTASK_NOTIFY_FROM_ISR(uxIndex) TRACE_NOTIFIED()
#define traceTASK_NOTIFY_GIVE_FROM_ISR(uxIndex) TRACE_NOTIFIED()
#define TRACE_OWN_NOTIFICATION(kind) ic_trace(kind, IC_TRACE_NOTIFICATION, TRACE_CURRENT->uxTaskNumber)
#define traceTASK_NOTIFY_TAKE_BLOCK(uxIndex) TRACE_OWN_NOTIFICATION(IC_TRACE_AWAITED)
#define traceTASK_NOTIFY_WAIT_BLOCK(uxIndex) TRACE_OWN_NOTIFICATION(IC_TRACE_AWAITED)
#define traceTASK_NOTIFY_TAKE(uxIndex) TRACE_OWN_NOTIFICATION(IC_TRACE_TAKEN)
#define traceTASK_NOTIFY_WAIT(uxIndex) TRACE_OWN_NOTIFICATION(IC_TRACE_TAKEN)

/* ---- objects ---- */

#define TRACE_NUMBER(pxObject) ((uint32_t)(uintptr_t)(pxObject))
#define TRACE_CLASS(pxQueue)                                                                                           \
    ((pxQueue)->ucQueueType == queueQUEUE_TYPE_BASE || (pxQueue)->ucQueueType == queueQUEUE_TYPE_SET ? IC_TRACE_QUEUE  \
     : (pxQueue)->ucQueueType == queueQUEUE_TYPE_MUTEX || (pxQueue)->ucQueueType == queueQUEUE_TYPE_RECURSIVE_MUTEX    \
         ? IC_TRACE_MUTEX                                                                                              \
         : IC_TRACE_SEMAPHORE)
#define TRACE_QUEUE(kind, pxQueue) ic_trace(kind, TRACE_CLASS(pxQueue), TRACE_NUMBER(pxQueue))
#define traceQUEUE_SEND(pxQueue) TRACE_QUEUE(IC_TRACE_GIVEN, pxQueue)
#define traceQUEUE_SEND_FROM_ISR(pxQueue) TRACE_QUEUE(IC_TRACE_GIVEN, pxQueue)
#define traceQUEUE_RECEIVE(pxQueue) TRACE_QUEUE(IC_TRACE_TAKEN, pxQueue)
#define traceQUEUE_RECEIVE_FROM_ISR(pxQueue) TRACE_QUEUE(IC_TRACE_TAKEN, pxQueue)
#define traceBLOCKING_ON_QUEUE_SEND(pxQueue) TRACE_QUEUE(IC_TRACE_AWAITED, pxQueue)
#define traceBLOCKING_ON_QUEUE_RECEIVE(pxQueue) TRACE_QUEUE(IC_TRACE_AWAITED, pxQueue)

#define TRACE_STREAM(kind, xStream) ic_trace(kind, IC_TRACE_STREAM, TRACE_NUMBER(xStream))
#define traceSTREAM_BUFFER_SEND(xStream, xBytes) TRACE_STREAM(IC_TRACE_GIVEN, xStream)
#define traceSTREAM_BUFFER_SEND_FROM_ISR(xStream, xBytes) TRACE_STREAM(IC_TRACE_GIVEN, xStream)
#define traceSTREAM_BUFFER_RECEIVE(xStream, xBytes) TRACE_STREAM(IC_TRACE_TAKEN, xStream)
#define traceSTREAM_BUFFER_RECEIVE_FROM_ISR(xStream, xBytes) TRACE_STREAM(IC_TRACE_TAKEN, xStream)
#define traceBLOCKING_ON_STREAM_BUFFER_SEND(xStream) TRACE_STREAM(IC_TRACE_AWAITED, xStream)
#define traceBLOCKING_ON_STREAM_BUFFER_RECEIVE(xStream) TRACE_STREAM(IC_TRACE_AWAITED, xStream)

#define TRACE_EVENTS(kind, xGroup) ic_trace(kind, IC_TRACE_EVENTS, TRACE_NUMBER(xGroup))
#define traceEVENT_GROUP_SET_BITS(xGroup, uxBits) TRACE_EVENTS(IC_TRACE_GIVEN, xGroup)
#define traceEVENT_GROUP_WAIT_BITS_BLOCK(xGroup, uxBits) TRACE_EVENTS(IC_TRACE_AWAITED, xGroup)
#define traceEVENT_GROUP_WAIT_BITS_END(xGroup, uxBits, xTimeOut) TRACE_EVENTS(IC_TRACE_TAKEN, xGroup)

#else

#define TRACE_SWITCHED_OUT(pxTCB)
#define TRACE_SWITCHED_IN(pxTCB)

#endif
#endif
