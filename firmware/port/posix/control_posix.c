/* Pinning and suspending tasks. On Linux any thread can be pinned by another one, but a thread can only suspend
 * itself. */
#include <errno.h>
#include <pthread.h>

#include "port.h"
#include "port_posix.h"

enum port_error port_task_pin(port_task_t *task, uint32_t core) {
    cpu_set_t set;
    port_posix_cpu_set(core, &set);
    /* If a task pins itself, task->thread must not be read: the creator of the task may still be writing it. */
    pthread_t thread = task == port_task_self() ? pthread_self() : task->thread;
    int failed = pthread_setaffinity_np(thread, sizeof set, &set);
    return failed == 0 || failed == ESRCH ? PORT_OK : PORT_ERR_RESOURCE;
}

void port_task_suspend(port_task_t *task) {
    atomic_store(&task->suspended, true);
    if (task == port_task_self()) {
        port_checkpoint();
    }
}

/* If the task is resumed before it reaches port_checkpoint(), the semaphore's count stays 1. The next wait in
 * port_checkpoint() then returns at once, and the loop there tests `suspended` once more. */
void port_task_resume(port_task_t *task) {
    if (atomic_exchange(&task->suspended, false)) {
        sem_post(&task->resumed);
    }
}

void port_reschedule(uint32_t core) { (void)core; }

void port_checkpoint(void) {
    port_task_t *self = port_task_self();
    while (atomic_load(&self->suspended)) {
        sem_wait(&self->resumed);
    }
}
