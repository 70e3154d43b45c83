/* What the stress run needs of Linux besides port.h. */
#include <sched.h>
#include <stdlib.h>

#include "port_posix.h"
#include "stress.h"

void stress_move(port_task_t *task, uint32_t core) {
    cpu_set_t set;
    port_posix_cpu_set(core, &set);
    /* Of itself a task knows by other means than the variable that its creator may still be writing. */
    pthread_t thread = task == port_task_self() ? pthread_self() : task->thread;
    (void)pthread_setaffinity_np(thread, sizeof set, &set); /* fails for one that has ended */
}

void *stress_allocate(size_t bytes) { return malloc(bytes); }

void stress_free(void *block) { free(block); }

/* Threads come from elsewhere; leaks are for the address sanitizer to find. */
size_t stress_memory_free(void) { return 0; }

uint32_t stress_stack_left(void) { return 0; }
