/* Semaphores for tasks of both kernels: a count in shared memory, under the lock between the cores. Who has to wait
 * enters itself in a list and is woken by its own kernel. First come, first served: one kernel does not know how urgent
 * the tasks of the other are. */
#include "port_amp.h"
#include "port_freertos.h"
#include "port_objects.h"

static enum port_error init(port_sem_t *sem, uint32_t initial, uint32_t most) {
    *sem = (port_sem_t){.count = initial, .most = most};
    return PORT_OK;
}

enum port_error port_sem_init(port_sem_t *sem, uint32_t initial) { return init(sem, initial, INT32_MAX); }

enum port_error port_sem_init_binary(port_sem_t *sem) { return init(sem, 0, 1); }

void port_sem_destroy(port_sem_t *sem) { (void)sem; }

/* The first of those who wait, taken out of the list; NULL if there is none. */
static port_task_t *next_waiter(port_sem_t *sem) {
    if (sem->waiting == 0) {
        return NULL;
    }
    port_task_t *first = sem->waiters[0];
    sem->waiting--;
    for (uint32_t i = 0; i < sem->waiting; i++) {
        sem->waiters[i] = sem->waiters[i + 1U];
    }
    return first;
}

void port_sem_give(port_sem_t *sem) {
    uint32_t mask = board_lock();
    sem->count += sem->count < sem->most ? 1U : 0U;
    port_task_t *waiter = next_waiter(sem);
    board_unlock(mask);
    if (waiter != NULL) {
        port_amp_wake(waiter);
    }
}

static uint32_t place_of(const port_sem_t *sem, const port_task_t *task) {
    uint32_t place = 0;
    while (place < sem->waiting && sem->waiters[place] != task) {
        place++;
    }
    return place;
}

static void leave(port_sem_t *sem, const port_task_t *task) {
    uint32_t place = place_of(sem, task);
    if (place < sem->waiting) {
        sem->waiting--;
        for (uint32_t i = place; i < sem->waiting; i++) {
            sem->waiters[i] = sem->waiters[i + 1U];
        }
    }
}

/* Takes one, or enters the task in the list if it is to wait. */
static bool take(port_sem_t *sem, port_task_t *task, bool enter) {
    uint32_t mask = board_lock();
    bool taken = sem->count > 0;
    bool full = false;
    if (taken) {
        sem->count--;
        leave(sem, task);
    } else if (!enter) {
        leave(sem, task);
    } else if (place_of(sem, task) == sem->waiting) {
        full = sem->waiting == PORT_SEM_WAITERS;
        if (!full) {
            sem->waiters[sem->waiting++] = task;
        }
    }
    board_unlock(mask);
    if (full) {
        board_panic("too many tasks wait for one semaphore", "", PORT_SEM_WAITERS);
    }
    return taken;
}

enum port_error port_sem_take(port_sem_t *sem, uint64_t deadline) {
    port_task_t *self = port_task_self();
    for (;;) {
        TickType_t ticks = port_freertos_ticks_until(deadline);
        if (take(sem, self, ticks > 0)) {
            return PORT_OK;
        }
        if (ticks == 0) {
            return PORT_ERR_TIMEOUT;
        }
        (void)ulTaskNotifyTakeIndexed(PORT_FREERTOS_NOTIFY_PLATFORM, pdTRUE, ticks);
    }
}
