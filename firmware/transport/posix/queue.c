/* The usual queue between threads: a mutex, two condition variables and a ring of items in the shared memory */
#include <pthread.h>
#include <string.h>

#include "slice_posix.h"
#include "transports.h"

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t has_item;
    pthread_cond_t has_room;
    unsigned char *items;
    uint32_t item_bytes;
    uint32_t length;
    uint32_t first; /* index of the oldest of the `count` items */
    uint32_t count;
} queue;

static uint32_t queue_capacity(const struct ic_transport_setup *setup) { return setup->memory_bytes; }

static bool make_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
    bool made =
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return made;
}

static bool make(const struct ic_transport_setup *setup) {
    queue.items = setup->memory;
    queue.item_bytes = setup->size;
    queue.length = setup->memory_bytes / setup->size;
    queue.first = 0;
    queue.count = 0;
    if (pthread_mutex_init(&queue.mutex, NULL) != 0) {
        return false;
    }
    if (make_condition(&queue.has_item)) {
        if (make_condition(&queue.has_room)) {
            return true;
        }
        pthread_cond_destroy(&queue.has_item);
    }
    pthread_mutex_destroy(&queue.mutex);
    return false;
}

static bool queue_open(struct ic_transport_end *end) { return end->role == IC_TRANSPORT_RECEIVER || make(end->setup); }

/* Nothing to release: neither end uses the queue any more, and in Linux mutexes and condition variables hold no
 * resources. */
static void queue_close(struct ic_transport_end *end) { (void)end; }

static unsigned char *item_at(uint32_t place) {
    return queue.items + (size_t)(place % queue.length) * queue.item_bytes;
}

/* Waits until `count` differs from `unwanted`, and returns true with the mutex locked. If the run is over, returns
 * false with the mutex unlocked. */
static bool lock_when(const struct ic_transport_end *end, pthread_cond_t *condition, uint32_t unwanted) {
    pthread_mutex_lock(&queue.mutex);
    while (queue.count == unwanted) {
        if (end->setup->polling) {
            pthread_mutex_unlock(&queue.mutex);
            if (ic_transport_over(end)) {
                return false;
            }
            pthread_mutex_lock(&queue.mutex);
            continue;
        }
        if (ic_transport_over(end)) {
            pthread_mutex_unlock(&queue.mutex);
            return false;
        }
        struct timespec limit = posix_slice_end(CLOCK_MONOTONIC);
        (void)pthread_cond_timedwait(condition, &queue.mutex, &limit);
    }
    return true;
}

/* queue_send() and queue_receive() signal the condition variable after they have unlocked the mutex: otherwise the
 * woken task would wait for the mutex. */
static bool queue_send(struct ic_transport_end *end, const void *message) {
    if (!lock_when(end, &queue.has_room, queue.length)) {
        return false;
    }
    memcpy(item_at(queue.first + queue.count), message, queue.item_bytes);
    queue.count++;
    pthread_mutex_unlock(&queue.mutex);
    pthread_cond_signal(&queue.has_item);
    return true;
}

static uint32_t queue_receive(struct ic_transport_end *end, void *message) {
    if (!lock_when(end, &queue.has_item, 0)) {
        return 0;
    }
    memcpy(message, item_at(queue.first), queue.item_bytes);
    queue.first = (queue.first + 1U) % queue.length;
    queue.count--;
    pthread_mutex_unlock(&queue.mutex);
    pthread_cond_signal(&queue.has_room);
    return end->setup->size;
}

const struct ic_transport ic_transport_queue = {
    .name = "queue",
    .summary = "ring of items under a mutex and condition variables, in shared memory; copied in and out",
    .one_kernel = true,
    .capacity = queue_capacity,
    .open = queue_open,
    .close = queue_close,
    .send = queue_send,
    .receive = queue_receive,
};
