/* Uses of the 32 hardware semaphores (RM 11). The numbers are this firmware's choice.
 *
 * A lock is a semaphore that is taken by the 1-step procedure (a read of HSEM_RLRx, RM 11.3.3). This procedure does not
 * distinguish the tasks and handlers of one core, so mask interrupts before you take a lock. A doorbell is a semaphore
 * that is taken and at once released, which raises an interrupt (RM 11.3.7). Each direction has its own doorbell, so
 * the two cores never take the same one. */
#ifndef STM32H745_SEMAPHORES_H
#define STM32H745_SEMAPHORES_H

/* Lock bit of the registers HSEM_Rx and HSEM_RLRx (RM 11.4.1), and the master ID of each core (RM table 95) */
#define SEMAPHORE_LOCKED 0x80000000U
#define SEMAPHORE_CORE_ID(core) ((core) == 0U ? 3U : 1U)
/* Value of HSEM_RLRx when this core has just taken the semaphore. To release the semaphore, write this value without
 * SEMAPHORE_LOCKED to HSEM_Rx. */
#define SEMAPHORE_TAKEN(core) (SEMAPHORE_LOCKED | SEMAPHORE_CORE_ID(core) << 8U)

/* The gate: core 1 waits at its start until core 0 has taken this semaphore, which is never released. */
#define SEMAPHORE_GATE 0U
/* A core that panics takes this semaphore and never releases it, so that only one core prints its line. */
#define SEMAPHORE_PANIC 1U
/* The lock between the cores (board_lock()) */
#define SEMAPHORE_LOCK 2U
/* The lock of the atomic operations of port_lock.h */
#define SEMAPHORE_ATOMIC 3U
/* Core 1 takes this semaphore when it has begun (entry.S), and never releases it. */
#define SEMAPHORE_BEGUN 4U
/* The doorbell from the core `from` to the core `to`, which may be the same core */
#define SEMAPHORE_BELL(from, to) (8U + 2U * (from) + (to))
/* The bits of all doorbells to a core, in HSEM_CnIER */
#define SEMAPHORE_BELLS_AT(core) (1U << SEMAPHORE_BELL(0U, core) | 1U << SEMAPHORE_BELL(1U, core))
/* The semaphores that port_spinlock_init() hands out */
#define SEMAPHORE_SPINLOCK 16U
#define SEMAPHORE_SPINLOCKS 8U

#endif
