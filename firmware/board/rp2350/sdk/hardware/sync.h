/* Barriers, events, the interrupt mask and the 32 hardware spinlocks (DS 3.1.4). */
#ifndef SDK_HARDWARE_SYNC_H
#define SDK_HARDWARE_SYNC_H

#include "pico.h"

#define SDK_SPINLOCKS 0xd0000100U
#define SDK_MSTATUS_MIE 8U

/* The instructions h3.block and h3.unblock (DS 3.8.6.3) take the place of the Arm cores' WFE and SEV. */
static inline void __wfe(void) { __asm volatile("slt x0, x0, x0" ::: "memory"); }
static inline void __sev(void) { __asm volatile("slt x0, x0, x1" ::: "memory"); }

/* Only for the compiler: the cores access memory in the program's order, at every address (DS 3.8.2.2). */
static inline void __dmb(void) { __asm volatile("" ::: "memory"); }

static inline uint32_t save_and_disable_interrupts(void) {
    uint32_t mstatus;
    __asm volatile("csrrci %0, mstatus, %1" : "=r"(mstatus) : "i"(SDK_MSTATUS_MIE) : "memory");
    return mstatus & SDK_MSTATUS_MIE;
}

static inline void restore_interrupts(uint32_t enabled) {
    __asm volatile("csrs mstatus, %0" ::"r"(enabled) : "memory");
}

/* A hardware spinlock. A read takes the lock and returns a value that is not 0; if the lock is already taken, it
 * returns 0. A write releases the lock. Only the locks 5, 6, 7, 10, 11 and 18 to 31 may be used: a write of SIO
 * registers that are new in this chip releases the others (erratum RP2350-E2). */
typedef volatile uint32_t spin_lock_t;

static inline spin_lock_t *spin_lock_instance(unsigned number) { return (spin_lock_t *)(SDK_SPINLOCKS + 4U * number); }

static inline unsigned spin_lock_get_num(spin_lock_t *lock) { return ((uintptr_t)lock - SDK_SPINLOCKS) / 4U; }

static inline bool spin_try_lock_unsafe(spin_lock_t *lock) {
    bool taken = *lock != 0;
    __dmb();
    return taken;
}

/* "Unsafe" means, as in the SDK, that the function does not change the interrupt mask. */
static inline void spin_lock_unsafe_blocking(spin_lock_t *lock) {
    while (*lock == 0) {
    }
    __dmb();
}

static inline void spin_unlock_unsafe(spin_lock_t *lock) {
    __dmb();
    *lock = 0;
}

#endif
