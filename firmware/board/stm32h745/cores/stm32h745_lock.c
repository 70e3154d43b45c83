/* Locks between the cores, and the spinlocks and atomics of port_lock.h. They use hardware semaphores (HSEM), because
 * exclusive accesses (LDREX, STREX) do not work between the cores (stm32h745_mpu_table.h). */
#include "stm32h745_lock.h"

#include "port_amp.h"
#include "port_lock.h"
#include "stm32h745_registers.h"
#include "stm32h745_semaphores.h"

bool stm32h745_lock_try(uint32_t semaphore) {
    bool taken = HSEM_RLR(semaphore) == SEMAPHORE_TAKEN(IC_CORE);
    __asm volatile("dmb" ::: "memory");
    return taken;
}

void stm32h745_lock_give(uint32_t semaphore) {
    __asm volatile("dsb" ::: "memory");
    HSEM_R(semaphore) = SEMAPHORE_TAKEN(IC_CORE) & ~SEMAPHORE_LOCKED;
}

uint32_t stm32h745_lock_enter(uint32_t semaphore) {
    uint32_t mask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    while (!stm32h745_lock_try(semaphore)) {
    }
    return mask;
}

void stm32h745_lock_leave(uint32_t semaphore, uint32_t mask) {
    stm32h745_lock_give(semaphore);
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
}

uint32_t board_lock(void) { return stm32h745_lock_enter(SEMAPHORE_LOCK); }

void board_unlock(uint32_t mask) { stm32h745_lock_leave(SEMAPHORE_LOCK, mask); }

/* ---- spinlocks ---- */

static uint32_t claimed PORT_SHARED(spinlocks); /* bit n: semaphore SEMAPHORE_SPINLOCK + n is in use */

enum port_error port_spinlock_init(port_spinlock_t *lock) {
    enum port_error error = PORT_ERR_RESOURCE;
    uint32_t mask = board_lock();
    for (uint32_t n = 0; n < SEMAPHORE_SPINLOCKS && error != PORT_OK; n++) {
        if ((claimed & 1U << n) == 0) {
            claimed |= 1U << n;
            lock->hardware = &HSEM_R(SEMAPHORE_SPINLOCK + n);
            error = PORT_OK;
        }
    }
    board_unlock(mask);
    return error;
}

static uint32_t semaphore_of(const port_spinlock_t *lock) { return (uint32_t)(lock->hardware - &HSEM_R(0U)); }

void port_spinlock_destroy(port_spinlock_t *lock) {
    uint32_t mask = board_lock();
    claimed &= ~(1U << (semaphore_of(lock) - SEMAPHORE_SPINLOCK));
    board_unlock(mask);
}

void port_spinlock_lock(port_spinlock_t *lock) {
    while (!stm32h745_lock_try(semaphore_of(lock))) {
    }
}

void port_spinlock_unlock(port_spinlock_t *lock) { stm32h745_lock_give(semaphore_of(lock)); }

/* ---- atomics ---- */

static uint32_t load(const port_atomic_t *counter) {
    return atomic_load_explicit(&counter->value, memory_order_relaxed);
}

static void store(port_atomic_t *counter, uint32_t value) {
    atomic_store_explicit(&counter->value, value, memory_order_relaxed);
}

uint32_t port_atomic_add(port_atomic_t *counter, uint32_t amount) {
    uint32_t mask = stm32h745_lock_enter(SEMAPHORE_ATOMIC);
    uint32_t before = load(counter);
    store(counter, before + amount);
    stm32h745_lock_leave(SEMAPHORE_ATOMIC, mask);
    return before;
}

bool port_atomic_swap(port_atomic_t *counter, uint32_t expected, uint32_t wanted) {
    uint32_t mask = stm32h745_lock_enter(SEMAPHORE_ATOMIC);
    bool as_expected = load(counter) == expected;
    if (as_expected) {
        store(counter, wanted);
    }
    stm32h745_lock_leave(SEMAPHORE_ATOMIC, mask);
    return as_expected;
}
