/* Types of the fuzz target's port, in which no task blocks */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#define PORT_CORES_MAX 2U
#define PORT_PATIENCE_S 1U

/* One image runs on all cores, so these macros need not generate any code. */
#define PORT_SHARED(name)
#define PORT_ENTRY(function) struct port_entry_##function /* nothing */

typedef struct port_task {
    int unused;
} port_task_t;

typedef int port_sem_t;

#endif
