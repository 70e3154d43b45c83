/* Mutual exclusion between cores without the scheduler: part of the platform interface (port.h). */
#ifndef PORT_LOCK_H
#define PORT_LOCK_H

/* First: newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>

#include "port.h"

/* Enters the kernel's own critical section: excludes interrupts of this core and other cores' critical sections. Nests;
 * do not wait inside. On Linux, where programs cannot mask interrupts, a lock of the process. The condition
 * `critical_section` describes it. Writes inside are visible in the next critical section. */
void port_critical_enter(void);
void port_critical_exit(void);

/* A spinlock of the hardware or of the platform's library. Interrupts stay enabled, so tasks of different priority on
 * one core must not share one: the higher priority would spin for ever. The owner must not block. Writes before the
 * unlock are visible after the next lock. The condition `spinlock` describes it; port_types.h has the type;
 * PORT_ERR_RESOURCE if the hardware has no more. */
enum port_error port_spinlock_init(port_spinlock_t *lock);
void port_spinlock_destroy(port_spinlock_t *lock);
void port_spinlock_lock(port_spinlock_t *lock);
void port_spinlock_unlock(port_spinlock_t *lock);

/* Atomic operations on a counter shared by several cores, in the platform's usual way: one instruction or a loop of
 * exclusive accesses if the core has these, otherwise under a lock. The condition `atomic` describes it. Both order
 * memory like C11's default. The value may be read directly, but not changed in other ways while several cores use it:
 * not every core can do that in one access. */
typedef struct port_atomic {
    _Atomic uint32_t value;
} port_atomic_t;

/* Adds, and returns the previous value. */
uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount);

/* Stores `wanted` if the value is `expected`; returns whether it was. */
bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted);

#endif
