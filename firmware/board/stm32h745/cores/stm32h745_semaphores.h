/* What the 32 hardware semaphores are used for (RM 11). The numbers are this program's own.
 *
 * A lock is taken by the 1-step procedure (a read of HSEM_RLRx, RM 11.3.3), which gives a core's programs one identity:
 * whoever takes one has interrupts masked. A bell is a semaphore that is taken and given back at once, which is what
 * raises the interrupt (RM 11.3.7); one for each direction, so that no two cores ever want the same one. */
#ifndef STM32H745_SEMAPHORES_H
#define STM32H745_SEMAPHORES_H

/* Bits of HSEM_Rx and HSEM_RLRx (RM 11.4.1) and who is who (RM table 95), by core. */
#define SEMAPHORE_LOCKED 0x80000000U
#define SEMAPHORE_CORE_ID(core) ((core) == 0U ? 3U : 1U)
/* What HSEM_RLRx reads when this core has just taken it; the same is written, less SEMAPHORE_LOCKED, to give it back.
 */
#define SEMAPHORE_TAKEN(core) (SEMAPHORE_LOCKED | SEMAPHORE_CORE_ID(core) << 8U)

/* Taken by core 0 for good when core 1 may begin. */
#define SEMAPHORE_GATE 0U
/* Taken by a core that panics, for good: one line is enough. */
#define SEMAPHORE_PANIC 1U
/* The inter-core lock of the port. */
#define SEMAPHORE_LOCK 2U
/* The atomic operations of port_lock.h. */
#define SEMAPHORE_ATOMIC 3U
/* Taken by core 1 for good when it has begun (entry.S). */
#define SEMAPHORE_BEGUN 4U
/* Rung by one core for another. */
#define SEMAPHORE_BELL(from, to) (8U + 2U * (from) + (to))
/* The bits of all bells that ring at a core, in HSEM_CnIER. */
#define SEMAPHORE_BELLS_AT(core) (1U << SEMAPHORE_BELL(0U, core) | 1U << SEMAPHORE_BELL(1U, core))
/* Given out by port_spinlock_init(). */
#define SEMAPHORE_SPINLOCK 16U
#define SEMAPHORE_SPINLOCKS 8U

#endif
