/* The fuzz target has no tasks that wait. */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#define PORT_CORES_MAX 2U

/* One program has all cores. */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) _Static_assert(sizeof(&(function)) > 0, "a function")

typedef struct port_task {
    int unused;
} port_task_t;

typedef int port_sem_t;

#endif
