/* Spinlocks and atomics of port_lock.h. On Xtensa they use S32C1I, the core's compare-and-swap, which works in internal
 * memory only.
 *
 * ESP-IDF's own spinlock_t is not used. It belongs to a core and is recursive for that core, so two tasks of one core
 * could both hold it. The kernel's critical sections (port_critical_enter()) do use it: they mask interrupts, so no
 * other task of that core can run inside one. */
#include "esp32_idf.h"
#include "port_freertos.h"
#include "port_lock.h"

/* ---- spinlocks ---- */

#define LOCKS 8U

static volatile uint32_t words[LOCKS]; /* 1: the lock is taken */
static uint32_t claimed;               /* bit n: words[n] is in use as a lock */

enum port_error port_spinlock_init(port_spinlock_t *lock) {
    enum port_error error = PORT_ERR_RESOURCE;
    port_critical_enter();
    for (uint32_t n = 0; n < LOCKS && error != PORT_OK; n++) {
        if ((claimed & 1U << n) == 0) {
            claimed |= 1U << n;
            words[n] = 0;
            lock->hardware = &words[n];
            error = PORT_OK;
        }
    }
    port_critical_exit();
    return error;
}

void port_spinlock_destroy(port_spinlock_t *lock) {
    port_critical_enter();
    claimed &= ~(1U << (uint32_t)(lock->hardware - words));
    port_critical_exit();
}

void port_spinlock_lock(port_spinlock_t *lock) {
    while (!esp_cpu_compare_and_set(lock->hardware, 0, 1)) {
    }
    atomic_thread_fence(memory_order_acquire);
}

void port_spinlock_unlock(port_spinlock_t *lock) {
    atomic_thread_fence(memory_order_release);
    *lock->hardware = 0;
}

/* ---- atomics ---- */

uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount) { return atomic_fetch_add(&counter->value, amount); }

bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted) {
    return atomic_compare_exchange_strong(&counter->value, &expected, wanted);
}
