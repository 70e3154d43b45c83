/* Kernel objects for benchmarks: part of the platform interface (port.h).
 *
 * The kinds of objects are those of FreeRTOS. A platform without one of them supplies the usual equivalent, and reports
 * the equivalent with its results, in a condition `object.<kind>`, e.g. object.stream = "pipe".
 *
 * The types belong to the implementation (port_types.h). An object may be in static memory or on a stack, but it must
 * not be moved. Initialise it once, and destroy it once, when no task is in a call with it. Unless noted otherwise, a
 * function that waits has no time limit, may be called from any task but not from an interrupt handler, and cannot
 * fail. What is written before a give, send, set or unlock is visible after the matching take, receive, wait or
 * lock. */
#ifndef PORT_OBJECTS_H
#define PORT_OBJECTS_H

#include "port.h"

/* Kinds of objects */
enum port_object {
    PORT_OBJECT_SEMAPHORE, /* also stands for notifications, which belong to tasks */
    PORT_OBJECT_MUTEX,
    PORT_OBJECT_QUEUE,
    PORT_OBJECT_EVENTS,
    PORT_OBJECT_STREAM,
};

/* Whether tasks on the cores `from` and `to` can both use an object of this kind that the calling task creates. False
 * if such an object belongs to one kernel and one of the two cores runs another kernel. */
bool port_object_spans(enum port_object object, uint32_t from, uint32_t to);

/* A binary semaphore, empty at first. If it is given twice before it is taken, it can still be taken only once. Give,
 * take and destroy it with port_sem_give(), port_sem_take() and port_sem_destroy(). */
enum port_error port_sem_init_binary(port_sem_t *sem);

/* A mutex. It has priority inheritance if the kernel has it, it is not recursive, and only its owner may unlock it. */
enum port_error port_mutex_init(port_mutex_t *mutex);
void port_mutex_destroy(port_mutex_t *mutex);
void port_mutex_lock(port_mutex_t *mutex);
void port_mutex_unlock(port_mutex_t *mutex);

/* Locks the mutex if it is free, and does not wait. Returns whether it has locked the mutex; false also if the caller
 * already owns it. */
bool port_mutex_try_lock(port_mutex_t *mutex);

/* Whether priority inheritance takes effect at once between two cores. A task on core `waiter` begins to wait for a
 * mutex, whose owner is a task of lower priority on core `owner`. True if the owner then preempts a task of middle
 * priority on its core. False if the owner inherits the priority but its core does not reschedule. */
bool port_mutex_lends(uint32_t owner, uint32_t waiter);

/* A queue of at most `length` items (1 to 8) of `item_bytes` bytes each (1 to 1024). Items are copied in and out. */
enum port_error port_queue_init(port_queue_t *queue, uint32_t length, uint32_t item_bytes);
void port_queue_destroy(port_queue_t *queue);
void port_queue_send(port_queue_t *queue, const void *item); /* waits for room */
void port_queue_receive(port_queue_t *queue, void *item);    /* waits for an item */

/* An event group of 8 bits. port_events_wait() returns as soon as any of `bits` is set, and clears `bits`. If several
 * tasks wait for the same bit, one or all of them continue, depending on the platform. */
enum port_error port_events_init(port_events_t *events);
void port_events_destroy(port_events_t *events);
void port_events_set(port_events_t *events, uint32_t bits);
void port_events_wait(port_events_t *events, uint32_t bits);
uint32_t port_events_get(port_events_t *events); /* the bits that are set */

/* A stream of bytes for one sender and one receiver, with room for at least `bytes` bytes (1 to 4096).
 * port_stream_send() returns when all bytes are in the stream, port_stream_receive() when `size` bytes have come. Both
 * may be called with more bytes than the stream has room for. */
enum port_error port_stream_init(port_stream_t *stream, uint32_t bytes);
void port_stream_destroy(port_stream_t *stream);
void port_stream_send(port_stream_t *stream, const void *bytes, uint32_t size);
void port_stream_receive(port_stream_t *stream, void *bytes, uint32_t size);

/* The platform's own allocator, which also provides the memory of its kernel objects. The alignment is at least 4 bytes
 * (ESP-IDF's heap guarantees no more). port_allocate() returns NULL if there is no memory; freeing NULL has no
 * effect. */
void *port_allocate(size_t bytes);
void port_free(void *memory);

#endif
