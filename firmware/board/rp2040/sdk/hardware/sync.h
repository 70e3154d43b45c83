/* Barriers, events and the 32 hardware spinlocks (DS 2.3.1.3). */
#ifndef SDK_HARDWARE_SYNC_H
#define SDK_HARDWARE_SYNC_H

#include "pico.h"

#define SDK_SPINLOCKS 0xd0000100U

static inline void __wfe(void) { __asm volatile("wfe" ::: "memory"); }
static inline void __sev(void) { __asm volatile("sev" ::: "memory"); }
static inline void __dmb(void) { __asm volatile("dmb" ::: "memory"); }

static inline uint32_t save_and_disable_interrupts(void) {
    uint32_t primask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(primask)::"memory");
    return primask;
}

static inline void restore_interrupts(uint32_t primask) { __asm volatile("msr primask, %0" ::"r"(primask) : "memory"); }

/* Number of the exception that is being handled; 0 in a task */
static inline unsigned __get_current_exception(void) {
    unsigned ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    return ipsr & 0x3fU;
}

/* A hardware spinlock. A read takes the lock and returns a value that is not 0; if the lock is already taken, it
 * returns 0. A write releases the lock. */
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

/* Releases the lock and restores the interrupt mask. */
static inline void spin_unlock(spin_lock_t *lock, uint32_t saved_primask) {
    spin_unlock_unsafe(lock);
    restore_interrupts(saved_primask);
}

/* Does nothing: the code chooses its locks by number, and nothing records which locks are in use. */
static inline void spin_lock_claim(unsigned number) { (void)number; }

#endif
