/* What keeps cores apart without the scheduler: a part of what a platform supplies, beside port.h. */
#ifndef PORT_LOCK_H
#define PORT_LOCK_H

/* First, as newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>

#include "port.h"

/* Keeps interrupts of this core and other cores' critical sections out: the kernel's own critical section. Nests; who
 * is inside must not wait for anything. On Linux, where programs cannot mask interrupts, a lock that all of a process's
 * tasks share. The condition `critical_section` says what it is. What one task wrote inside is visible to the next. */
void port_critical_enter(void);
void port_critical_exit(void);

/* A lock that a core waits for by spinning, as the hardware or the platform's library has it. Interrupts stay as they
 * are, so tasks of different priority on one core must not share one: the more urgent would spin for ever. Who holds it
 * must not block. What one task wrote before it unlocks is visible to the task that locks after. The condition
 * `spinlock` says what it is; port_types.h has the type; PORT_ERR_RESOURCE if the hardware has no more. */
enum port_error port_spinlock_init(port_spinlock_t *lock);
void port_spinlock_destroy(port_spinlock_t *lock);
void port_spinlock_lock(port_spinlock_t *lock);
void port_spinlock_unlock(port_spinlock_t *lock);

/* Atomic operations on a counter that several cores change, in the way the platform's programmers have them: one
 * instruction or a loop of exclusive accesses where the core can do that, otherwise under a lock. The condition
 * `atomic` says which. Both order memory like C11's default. The value may be read as it stands, but not changed in
 * other ways while several cores use it: not every core can do that in one access. */
typedef struct port_atomic {
    _Atomic uint32_t value;
} port_atomic_t;

/* Adds and returns what was there before. */
uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount);

/* Stores `wanted` if there is `expected`; tells whether there was. */
bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted);

#endif
