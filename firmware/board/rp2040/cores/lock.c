/* The spinlocks and atomics of port_lock.h. They use the 32 hardware spinlocks (DS 2.3.1.3), because the Cortex-M0+ has
 * no exclusive load and store.
 *
 * The kernel's port uses hardware spinlocks 14 and 15, which the SDK reserves for operating systems. The numbers below
 * also follow the SDK: it uses number 8 for its atomic operations, and applications may claim 24 to 31. */
#include "hardware/sync.h"
#include "port_lock.h"

#define ATOMIC_LOCK 8U
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

/* ---- atomics: a few cycles with one spinlock held and interrupts masked, because a handler may want the same lock
 * ---- */

static uint32_t enter(void) {
    uint32_t primask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(primask)::"memory");
    spin_lock_unsafe_blocking(spin_lock_instance(ATOMIC_LOCK));
    return primask;
}

static void leave(uint32_t primask) { spin_unlock(spin_lock_instance(ATOMIC_LOCK), primask); }

static uint32_t load(const port_atomic_t *counter) {
    return atomic_load_explicit(&counter->value, memory_order_relaxed);
}

static void store(port_atomic_t *counter, uint32_t value) {
    atomic_store_explicit(&counter->value, value, memory_order_relaxed);
}

uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount) {
    uint32_t primask = enter();
    uint32_t before = load(counter);
    store(counter, before + amount);
    leave(primask);
    return before;
}

bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted) {
    uint32_t primask = enter();
    bool as_expected = load(counter) == expected;
    if (as_expected) {
        store(counter, wanted);
    }
    leave(primask);
    return as_expected;
}
