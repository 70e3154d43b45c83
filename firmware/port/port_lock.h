/* Mutual exclusion between cores without the scheduler: part of the platform interface (port.h). */
#ifndef PORT_LOCK_H
#define PORT_LOCK_H

/* Must come before stdatomic.h: with clang, newlib's stdatomic.h needs the types of stdint.h. */
#include <stdint.h>

#include <stdatomic.h>

#include "port.h"

/* Enters the kernel's own critical section. It masks the interrupts of this core and keeps out the critical sections of
 * other cores. Critical sections may be nested; do not block inside one. On Linux, where programs cannot mask
 * interrupts, the critical section is one lock for the whole process. The target reports the kind of critical section
 * as its condition `critical_section` (docs/conditions.md). What is written inside a critical section is visible inside
 * the next one. */
void port_critical_enter(void);
void port_critical_exit(void);

/* A spinlock of the hardware or of the platform's library. Interrupts stay enabled, so tasks of different priority on
 * one core must not share a spinlock: the task of higher priority would spin for ever. The owner must not block. What
 * is written before an unlock is visible after the next lock. The target reports the kind of spinlock as its condition
 * `spinlock`; port_types.h defines the type. Returns PORT_ERR_RESOURCE if the hardware has no spinlock left. */
enum port_error port_spinlock_init(port_spinlock_t *lock);
void port_spinlock_destroy(port_spinlock_t *lock);
void port_spinlock_lock(port_spinlock_t *lock);
void port_spinlock_unlock(port_spinlock_t *lock);

/* Atomic operations on a counter that several cores share, done in the platform's usual way: by atomic instructions or
 * exclusive accesses if the cores have them, otherwise with a lock held. The target reports this way as its condition
 * `atomic`. Both operations order memory like C11's default (memory_order_seq_cst). While several cores use the
 * counter, its value may be read directly, but it must be changed only by these functions: not every core has an
 * instruction that reads and changes a value atomically. */
typedef struct port_atomic {
    _Atomic uint32_t value;
} port_atomic_t;

/* Adds, and returns the previous value. */
uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount);

/* Stores `wanted` if the counter equals `expected`. Returns whether it stored. */
bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted);

#endif
