/* What keeps cores apart without the scheduler: a part of what a platform supplies, beside port.h. */
#ifndef PORT_LOCK_H
#define PORT_LOCK_H

#include "port.h"

/* Keeps interrupts of this core and other cores' critical sections out: the kernel's own critical section. Nests. On
 * Linux, where programs cannot mask interrupts, a lock that all of a process's tasks share. */
void port_critical_enter(void);
void port_critical_exit(void);

/* A lock that a core waits for by spinning, as the hardware or the platform's library has it. Who holds it must not
 * block. Interrupts stay as they are. port_types.h has the type; PORT_ERR_RESOURCE if the hardware has no more. */
enum port_error port_spinlock_init(port_spinlock_t *lock);
void port_spinlock_destroy(port_spinlock_t *lock);
void port_spinlock_lock(port_spinlock_t *lock);
void port_spinlock_unlock(port_spinlock_t *lock);

/* Atomic operations on a counter that several cores change, in the way the platform's programmers have them: one
 * instruction or a loop of exclusive accesses where the core can do that, otherwise under a lock. The condition
 * `atomic` says which. Both order memory like C11's default. */
typedef struct port_atomic {
    volatile uint32_t value;
} port_atomic_t;

/* Adds and returns what was there before. */
uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount);

/* Stores `wanted` if there is `expected`; tells whether there was. */
bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted);

#endif
