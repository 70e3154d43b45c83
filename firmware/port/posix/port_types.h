/* The types that users of port.h allocate, for POSIX threads. */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PORT_CORES_MAX 64U

typedef struct port_task {
    pthread_t thread;
    sem_t notifications;
    atomic_bool suspended; /* port_task_suspend() */
    sem_t resumed;         /* given when that ends */
    void (*entry)(void *);
    void *arg;
} port_task_t;

typedef sem_t port_sem_t;

#endif
