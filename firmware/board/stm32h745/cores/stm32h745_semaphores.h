/* Uses of the 32 hardware semaphores (RM 11). This program chooses the numbers.
 *
 * A lock is taken by the 1-step procedure (a read of HSEM_RLRx, RM 11.3.3), which does not distinguish the programs of
 * a core: take it with interrupts masked. A bell is a semaphore that is taken and released at once, which raises the
 * interrupt (RM 11.3.7); there is one for each direction, so that two cores never take the same one. */
#ifndef STM32H745_SEMAPHORES_H
#define STM32H745_SEMAPHORES_H

/* Bits of HSEM_Rx and HSEM_RLRx (RM 11.4.1) and master IDs (RM table 95), by core */
#define SEMAPHORE_LOCKED 0x80000000U
#define SEMAPHORE_CORE_ID(core) ((core) == 0U ? 3U : 1U)
/* Value of HSEM_RLRx when this core has just taken it; written without SEMAPHORE_LOCKED to release it */
#define SEMAPHORE_TAKEN(core) (SEMAPHORE_LOCKED | SEMAPHORE_CORE_ID(core) << 8U)

/* Taken by core 0 for good when core 1 may begin */
#define SEMAPHORE_GATE 0U
/* Taken by a core that panics, for good: one line is enough. */
#define SEMAPHORE_PANIC 1U
/* The inter-core lock of the port */
#define SEMAPHORE_LOCK 2U
/* The atomic operations of port_lock.h */
#define SEMAPHORE_ATOMIC 3U
/* Taken by core 1 for good when it has begun (entry.S) */
#define SEMAPHORE_BEGUN 4U
/* Doorbell from one core to another */
#define SEMAPHORE_BELL(from, to) (8U + 2U * (from) + (to))
/* The bits of all doorbells to a core, in HSEM_CnIER */
#define SEMAPHORE_BELLS_AT(core) (1U << SEMAPHORE_BELL(0U, core) | 1U << SEMAPHORE_BELL(1U, core))
/* Allocated by port_spinlock_init() */
#define SEMAPHORE_SPINLOCK 16U
#define SEMAPHORE_SPINLOCKS 8U

#endif
