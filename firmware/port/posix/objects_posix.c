/* port_objects.h on POSIX: for each kernel object, the usual equivalent between threads */
#include "port_objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "port.h"
#include "port_posix.h"

static enum port_error result(bool done) { return done ? PORT_OK : PORT_ERR_RESOURCE; }

bool port_object_spans(enum port_object object, uint32_t from, uint32_t to) {
    (void)object;
    (void)from;
    (void)to;
    return true; /* one process runs on all cores */
}

/* ---- mutex ---- */

static bool init_mutex(pthread_mutex_t *mutex, int protocol) {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return false;
    }
    bool done =
        pthread_mutexattr_setprotocol(&attributes, protocol) == 0 && pthread_mutex_init(mutex, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return done;
}

/* Whether the system has futexes with priority inheritance: the kernels of some sandboxes have none. */
bool port_posix_inherits_priority(void) {
    pthread_mutex_t mutex;
    bool inherits = init_mutex(&mutex, PTHREAD_PRIO_INHERIT);
    if (inherits) {
        pthread_mutex_destroy(&mutex);
    }
    return inherits;
}

enum port_error port_mutex_init(port_mutex_t *mutex) {
    return result(init_mutex(mutex, PTHREAD_PRIO_INHERIT) || init_mutex(mutex, PTHREAD_PRIO_NONE));
}

void port_mutex_destroy(port_mutex_t *mutex) { pthread_mutex_destroy(mutex); }

void port_mutex_lock(port_mutex_t *mutex) { pthread_mutex_lock(mutex); }

void port_mutex_unlock(port_mutex_t *mutex) { pthread_mutex_unlock(mutex); }

bool port_mutex_try_lock(port_mutex_t *mutex) { return pthread_mutex_trylock(mutex) == 0; }

bool port_mutex_lends(uint32_t owner, uint32_t waiter) {
    (void)owner;
    (void)waiter;
    return port_posix_inherits_priority();
}

/* ---- queue ----
 *
 * The queue is a ring buffer protected by a mutex. It is not a POSIX message queue: those belong to the whole system,
 * which limits their number and size, and threads of one process rarely use them. */

static bool init_guard(pthread_mutex_t *mutex, pthread_cond_t *condition) {
    if (pthread_mutex_init(mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(condition, NULL) != 0) {
        pthread_mutex_destroy(mutex);
        return false;
    }
    return true;
}

static void destroy_guard(pthread_mutex_t *mutex, pthread_cond_t *condition) {
    pthread_cond_destroy(condition);
    pthread_mutex_destroy(mutex);
}

enum port_error port_queue_init(port_queue_t *queue, uint32_t length, uint32_t item_bytes) {
    queue->length = length;
    queue->item_bytes = item_bytes;
    queue->first = 0;
    queue->count = 0;
    queue->items = malloc((size_t)length * item_bytes);
    if (queue->items == NULL) {
        return PORT_ERR_RESOURCE;
    }
    if (init_guard(&queue->mutex, &queue->has_item)) {
        if (pthread_cond_init(&queue->has_room, NULL) == 0) {
            return PORT_OK;
        }
        destroy_guard(&queue->mutex, &queue->has_item);
    }
    free(queue->items);
    return PORT_ERR_RESOURCE;
}

void port_queue_destroy(port_queue_t *queue) {
    pthread_cond_destroy(&queue->has_room);
    destroy_guard(&queue->mutex, &queue->has_item);
    free(queue->items);
}

static unsigned char *item_at(const port_queue_t *queue, uint32_t place) {
    return queue->items + (size_t)(place % queue->length) * queue->item_bytes;
}

/* port_queue_send() and port_queue_receive() signal the condition variable only after unlocking the mutex; otherwise
 * the woken thread would block on the mutex at once. */
void port_queue_send(port_queue_t *queue, const void *item) {
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == queue->length) {
        pthread_cond_wait(&queue->has_room, &queue->mutex);
    }
    memcpy(item_at(queue, queue->first + queue->count), item, queue->item_bytes);
    queue->count++;
    pthread_mutex_unlock(&queue->mutex);
    pthread_cond_signal(&queue->has_item);
}

void port_queue_receive(port_queue_t *queue, void *item) {
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == 0) {
        pthread_cond_wait(&queue->has_item, &queue->mutex);
    }
    memcpy(item, item_at(queue, queue->first), queue->item_bytes);
    queue->first = (queue->first + 1U) % queue->length;
    queue->count--;
    pthread_mutex_unlock(&queue->mutex);
    pthread_cond_signal(&queue->has_room);
}

/* ---- event group ---- */

enum port_error port_events_init(port_events_t *events) {
    events->set = 0;
    return result(init_guard(&events->mutex, &events->changed));
}

void port_events_destroy(port_events_t *events) { destroy_guard(&events->mutex, &events->changed); }

/* Wakes all waiting tasks, because each of them must check whether its own bits are set. */
void port_events_set(port_events_t *events, uint32_t bits) {
    pthread_mutex_lock(&events->mutex);
    events->set |= bits;
    pthread_mutex_unlock(&events->mutex);
    pthread_cond_broadcast(&events->changed);
}

void port_events_wait(port_events_t *events, uint32_t bits) {
    pthread_mutex_lock(&events->mutex);
    while ((events->set & bits) == 0) {
        pthread_cond_wait(&events->changed, &events->mutex);
    }
    events->set &= ~bits;
    pthread_mutex_unlock(&events->mutex);
}

uint32_t port_events_get(port_events_t *events) {
    pthread_mutex_lock(&events->mutex);
    uint32_t set = events->set;
    pthread_mutex_unlock(&events->mutex);
    return set;
}

/* ---- stream ---- */

/* A pipe always has room for `bytes` (at most 4096): it holds 64 KiB, or one page of 4 KiB if the user has very many
 * pipes. */
enum port_error port_stream_init(port_stream_t *stream, uint32_t bytes) {
    (void)bytes;
    int ends[2];
    if (pipe(ends) != 0) {
        return PORT_ERR_RESOURCE;
    }
    stream->out = ends[0];
    stream->in = ends[1];
    return PORT_OK;
}

void port_stream_destroy(port_stream_t *stream) {
    close(stream->in);
    close(stream->out);
}

void port_stream_send(port_stream_t *stream, const void *bytes, uint32_t size) {
    const unsigned char *next = bytes;
    while (size > 0) {
        ssize_t count = write(stream->in, next, size);
        if (count > 0) {
            next += count;
            size -= (uint32_t)count;
        } else if (errno != EINTR) {
            abort(); /* the pipe was closed from outside */
        }
    }
}

void port_stream_receive(port_stream_t *stream, void *bytes, uint32_t size) {
    unsigned char *next = bytes;
    while (size > 0) {
        ssize_t count = read(stream->out, next, size);
        if (count > 0) {
            next += count;
            size -= (uint32_t)count;
        } else if (count == 0 || errno != EINTR) {
            abort();
        }
    }
}

/* ---- memory ---- */

void *port_allocate(size_t bytes) { return malloc(bytes); }

void port_free(void *memory) { free(memory); }
