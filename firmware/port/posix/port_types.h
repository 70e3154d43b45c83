/* The types that callers of port.h allocate, for POSIX threads */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PORT_CORES_MAX 64U
#define PORT_PATIENCE_S 20U
#define PORT_HANDLERS_MAY_BE_LATE 1

/* One program runs on all cores. */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) struct port_entry_##function /* nothing */

typedef struct port_task {
    pthread_t thread;
    atomic_int id; /* the system's number of the thread; 0 until the thread runs */
    sem_t notifications;
    atomic_bool suspended; /* set by port_task_suspend() */
    sem_t resumed;         /* given to end the suspension */
    void (*entry)(void *);
    void *arg;
    bool takes_turns; /* whether it yields after each time slice to tasks of equal priority (turns_posix.h) */
    uint32_t number;  /* the task's number in the event recorder (trace_posix.h) */
} port_task_t;

/* The count of a binary semaphore is at most one: a give increments it only if `given` was not set. */
typedef struct port_sem {
    sem_t count;
    bool binary;
    atomic_bool given;
} port_sem_t;

typedef pthread_mutex_t port_mutex_t;

/* A ring buffer of items. `first` is the index of the oldest of the `count` items. */
typedef struct port_queue {
    pthread_mutex_t mutex;
    pthread_cond_t has_item;
    pthread_cond_t has_room;
    unsigned char *items;
    uint32_t length;
    uint32_t item_bytes;
    uint32_t first;
    uint32_t count;
} port_queue_t;

typedef struct port_events {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t set;
} port_events_t;

/* The two ends of a pipe */
typedef struct port_stream {
    int in;
    int out;
} port_stream_t;

typedef pthread_spinlock_t port_spinlock_t;

#endif
