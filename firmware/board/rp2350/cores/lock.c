/* The spinlocks and atomics of port_lock.h: hardware spinlocks (DS 3.1.4), and the cores' atomic instructions.
 *
 * The kernel's port uses hardware spinlocks 10 and 11, board_panic() 5. */
#include "hardware/sync.h"
#include "port_lock.h"

#define FIRST_LOCK 24U
#define LOCKS 8U

/* ---- spinlocks ---- */

static uint32_t claimed; /* bit n: lock FIRST_LOCK + n is in use */

enum port_error port_spinlock_init(port_spinlock_t *lock) {
    enum port_error error = PORT_ERR_RESOURCE;
    port_critical_enter();
    for (uint32_t n = 0; n < LOCKS && error != PORT_OK; n++) {
        if ((claimed & 1U << n) == 0) {
            claimed |= 1U << n;
            lock->hardware = spin_lock_instance(FIRST_LOCK + n);
            error = PORT_OK;
        }
    }
    port_critical_exit();
    return error;
}

void port_spinlock_destroy(port_spinlock_t *lock) {
    port_critical_enter();
    claimed &= ~(1U << (spin_lock_get_num(lock->hardware) - FIRST_LOCK));
    port_critical_exit();
}

void port_spinlock_lock(port_spinlock_t *lock) { spin_lock_unsafe_blocking(lock->hardware); }

void port_spinlock_unlock(port_spinlock_t *lock) { spin_unlock_unsafe(lock->hardware); }

/* ---- atomics ---- */

uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount) { return atomic_fetch_add(&counter->value, amount); }

bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted) {
    return atomic_compare_exchange_strong(&counter->value, &expected, wanted);
}
