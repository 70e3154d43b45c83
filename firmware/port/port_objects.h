/* The kernel's objects, as far as benchmarks measure them: a part of what a platform supplies, beside port.h.
 *
 * The names are FreeRTOS's kinds of objects. Where a platform has no such object it supplies what its programmers use
 * instead, and says so in a condition named `object.<kind>`, e.g. object.queue = "POSIX message queue".
 *
 * The types belong to the implementation (port_types.h). Objects may lie in static memory or on a stack, must not be
 * moved, and are given to one init and one destroy, when no task is in a call with them any more. Unless it says
 * otherwise a function that waits has no time limit, may be called from any task but not from an interrupt handler, and
 * cannot fail. What one task wrote before it gives, sends, sets or unlocks is visible to the task that takes, receives,
 * waits or locks after. */
#ifndef PORT_OBJECTS_H
#define PORT_OBJECTS_H

#include "port.h"

/* Kinds of objects. */
enum port_object {
    PORT_OBJECT_SEMAPHORE, /* and notifications, which are tasks' own */
    PORT_OBJECT_MUTEX,
    PORT_OBJECT_QUEUE,
    PORT_OBJECT_EVENTS,
    PORT_OBJECT_STREAM,
};

/* Whether an object of that kind that the calling task makes can be used by tasks of the cores `from` and `to`. False
 * where it belongs to one kernel, and one of the cores has another. */
bool port_object_spans(enum port_object object, uint32_t from, uint32_t to);

/* A semaphore that is taken or not: what is given twice can be taken once. It is used with port_sem_give() and
 * port_sem_take(), ended with port_sem_destroy(), and is empty at first. */
enum port_error port_sem_init_binary(port_sem_t *sem);

/* Mutex, with priority inheritance where the kernel has it. Unlocked by the task that locked it. Not recursive. */
enum port_error port_mutex_init(port_mutex_t *mutex);
void port_mutex_destroy(port_mutex_t *mutex);
void port_mutex_lock(port_mutex_t *mutex);
void port_mutex_unlock(port_mutex_t *mutex);

/* Locks the mutex if nobody has it, the calling task included, and tells whether it did. Does not wait. */
bool port_mutex_try_lock(port_mutex_t *mutex);

/* Whether the owner of a mutex, on core `owner`, takes its core from a task of middle priority as soon as a task of
 * higher priority on core `waiter` waits for that mutex. False where the owner inherits that priority and its core is
 * not told of it. */
bool port_mutex_lends(uint32_t owner, uint32_t waiter);

/* Queue of at most `length` items of `item_bytes` each, copied in and out. length is 1 to 8, item_bytes 1 to 1024. */
enum port_error port_queue_init(port_queue_t *queue, uint32_t length, uint32_t item_bytes);
void port_queue_destroy(port_queue_t *queue);
void port_queue_send(port_queue_t *queue, const void *item); /* waits for room */
void port_queue_receive(port_queue_t *queue, void *item);    /* waits for an item */

/* Event group of 8 bits. wait returns when any of `bits` is set, and clears those of them that are. Of several tasks
 * that wait for one bit the platform lets one or all go on. */
enum port_error port_events_init(port_events_t *events);
void port_events_destroy(port_events_t *events);
void port_events_set(port_events_t *events, uint32_t bits);
void port_events_wait(port_events_t *events, uint32_t bits);
uint32_t port_events_get(port_events_t *events); /* the bits that are set */

/* Stream of bytes for one sender and one receiver, with room for at least `bytes`, 1 to 4096. send waits until all are
 * in, receive until all `size` are there; both may be more than there is room for. */
enum port_error port_stream_init(port_stream_t *stream, uint32_t bytes);
void port_stream_destroy(port_stream_t *stream);
void port_stream_send(port_stream_t *stream, const void *bytes, uint32_t size);
void port_stream_receive(port_stream_t *stream, void *bytes, uint32_t size);

/* The platform's own allocator, the one its kernel objects come from; aligned to 4 at least (ESP-IDF's heap promises no
 * more). NULL if there is no memory; to free NULL does nothing. */
void *port_allocate(size_t bytes);
void port_free(void *memory);

#endif
