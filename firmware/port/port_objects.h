/* Kernel objects for benchmarks: part of the platform interface (port.h).
 *
 * The names are FreeRTOS's kinds of objects. A platform without such an object supplies the usual equivalent, and names
 * it in a condition `object.<kind>`, e.g. object.queue = "POSIX message queue".
 *
 * The types belong to the implementation (port_types.h). Objects may be in static memory or on a stack, must not be
 * moved, and need one init and one destroy, the latter when no task is in a call with them. Unless noted otherwise, a
 * function that waits has no time limit, may be called from any task but not from an interrupt handler, and cannot
 * fail. Writes before a give, send, set or unlock are visible after the take, receive, wait or lock. */
#ifndef PORT_OBJECTS_H
#define PORT_OBJECTS_H

#include "port.h"

/* Kinds of objects */
enum port_object {
    PORT_OBJECT_SEMAPHORE, /* and notifications, which belong to tasks */
    PORT_OBJECT_MUTEX,
    PORT_OBJECT_QUEUE,
    PORT_OBJECT_EVENTS,
    PORT_OBJECT_STREAM,
};

/* Whether an object of that kind, created by the calling task, can be used by tasks of the cores `from` and `to`. False
 * if it belongs to one kernel, and one of the cores has another. */
bool port_object_spans(enum port_object object, uint32_t from, uint32_t to);

/* A binary semaphore: given twice, it can be taken once. Use it with port_sem_give() and port_sem_take(), and delete it
 * with port_sem_destroy(). Empty at first. */
enum port_error port_sem_init_binary(port_sem_t *sem);

/* Mutex, with priority inheritance if the kernel has it. Unlocked by its owner. Not recursive. */
enum port_error port_mutex_init(port_mutex_t *mutex);
void port_mutex_destroy(port_mutex_t *mutex);
void port_mutex_lock(port_mutex_t *mutex);
void port_mutex_unlock(port_mutex_t *mutex);

/* Locks the mutex if it is free; returns whether it did. Fails also for its owner. Does not wait. */
bool port_mutex_try_lock(port_mutex_t *mutex);

/* Whether the owner of a mutex, on core `owner`, preempts a task of middle priority as soon as a task of higher
 * priority on core `waiter` waits for that mutex. False if the owner inherits that priority without a reschedule of its
 * core. */
bool port_mutex_lends(uint32_t owner, uint32_t waiter);

/* Queue of at most `length` items of `item_bytes` each, copied in and out. length is 1 to 8, item_bytes 1 to 1024. */
enum port_error port_queue_init(port_queue_t *queue, uint32_t length, uint32_t item_bytes);
void port_queue_destroy(port_queue_t *queue);
void port_queue_send(port_queue_t *queue, const void *item); /* waits for room */
void port_queue_receive(port_queue_t *queue, void *item);    /* waits for an item */

/* Event group of 8 bits. wait returns when any of `bits` is set, and clears those. If several tasks wait for one bit,
 * one or all continue, depending on the platform. */
enum port_error port_events_init(port_events_t *events);
void port_events_destroy(port_events_t *events);
void port_events_set(port_events_t *events, uint32_t bits);
void port_events_wait(port_events_t *events, uint32_t bits);
uint32_t port_events_get(port_events_t *events); /* the bits that are set */

/* Stream of bytes for one sender and one receiver, with room for at least `bytes`, 1 to 4096. send waits until all
 * bytes are in, receive until all `size` have come; both may exceed the room. */
enum port_error port_stream_init(port_stream_t *stream, uint32_t bytes);
void port_stream_destroy(port_stream_t *stream);
void port_stream_send(port_stream_t *stream, const void *bytes, uint32_t size);
void port_stream_receive(port_stream_t *stream, void *bytes, uint32_t size);

/* The platform's own allocator, also used for its kernel objects; aligned to at least 4 (ESP-IDF's heap guarantees no
 * more). Returns NULL if there is no memory; freeing NULL has no effect. */
void *port_allocate(size_t bytes);
void port_free(void *memory);

#endif
