/* Semaphores for tasks of both kernels. The count is in shared memory, protected by the lock between the cores
 * (board_lock()). A task that waits adds itself to a list, and its own kernel wakes it. Tasks are woken in the order in
 * which they began to wait, because a kernel does not know the priorities of the other kernel's tasks. */
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

static uint32_t place_of(const port_sem_t *sem, const port_task_t *task) {
    uint32_t place = 0;
    while (place < sem->waiting && sem->waiters[place] != task) {
        place++;
    }
    return place;
}

/* Removes the waiter with the index `place` from the list, if there is one. */
static void leave(port_sem_t *sem, uint32_t place) {
    if (place >= sem->waiting) {
        return;
    }
    for (uint32_t i = place + 1U; i < PORT_SEM_WAITERS; i++) {
        sem->waiters[i - 1U] = sem->waiters[i];
    }
    sem->waiting--;
}

void port_sem_give(port_sem_t *sem) {
    uint32_t mask = board_lock();
    sem->count += sem->count < sem->most ? 1U : 0U;
    port_task_t *waiter = sem->waiting > 0 ? sem->waiters[0] : NULL;
    leave(sem, 0);
    board_unlock(mask);
    if (waiter != NULL) {
        port_amp_wake(waiter);
    }
}

/* Takes the semaphore if its count is above zero. If not, adds the task to the list of waiters if `enter` is true, else
 * removes the task from it. */
static bool take(port_sem_t *sem, port_task_t *task, bool enter) {
    uint32_t mask = board_lock();
    bool taken = sem->count > 0;
    bool full = false;
    if (taken) {
        sem->count--;
        leave(sem, place_of(sem, task));
    } else if (!enter) {
        leave(sem, place_of(sem, task));
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
