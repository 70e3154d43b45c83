/* port_lock.h on POSIX threads. */
#include "lock_posix.h"

#include <pthread.h>
#include <stdatomic.h>

#include "port_lock.h"
#include "port_posix.h"

/* ---- critical section ---- */

static pthread_mutex_t critical;

/* The mutex has priority inheritance if the system supports it: a waiting task lends its priority to the owner, which a
 * third task could otherwise keep off its core. A spinlock is not an option: if the owner has a lower priority and is
 * on the same core, the waiting task would spin for ever. */
bool lock_posix_start(void) {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return false;
    }
    int protocol = port_posix_inherits_priority() ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE;
    bool made = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0 &&
                pthread_mutexattr_setprotocol(&attributes, protocol) == 0 &&
                pthread_mutex_init(&critical, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return made;
}

void port_critical_enter(void) { (void)pthread_mutex_lock(&critical); }

void port_critical_exit(void) { (void)pthread_mutex_unlock(&critical); }

/* ---- spinlock ---- */

enum port_error port_spinlock_init(port_spinlock_t *lock) {
    return pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE) == 0 ? PORT_OK : PORT_ERR_RESOURCE;
}

void port_spinlock_destroy(port_spinlock_t *lock) { (void)pthread_spin_destroy(lock); }

void port_spinlock_lock(port_spinlock_t *lock) { (void)pthread_spin_lock(lock); }

void port_spinlock_unlock(port_spinlock_t *lock) { (void)pthread_spin_unlock(lock); }

/* ---- atomics ---- */

uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount) { return atomic_fetch_add(&counter->value, amount); }

bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted) {
    return atomic_compare_exchange_strong(&counter->value, &expected, wanted);
}
