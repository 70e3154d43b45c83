/* What the board has in headers, for the tests to call. */
#include "stm32h745_clock_extend.h"
#include "stm32h745_clock_plan.h"
#include "stm32h745_memory_map.h"
#include "stm32h745_semaphores.h"

uint64_t extend(uint32_t coarse, uint32_t fine);
uint64_t extend_since(uint64_t before, uint32_t counter);
uint32_t is_legal(uint32_t m7, uint32_t m4, uint32_t vos, uint32_t supply);
uint32_t supply_register(uint32_t supply);
uint32_t semaphore(uint32_t index);

uint64_t extend(uint32_t coarse, uint32_t fine) { return stm32h745_clock_extend(coarse, fine); }

uint64_t extend_since(uint64_t before, uint32_t counter) { return stm32h745_clock_extend_since(before, counter); }

uint32_t is_legal(uint32_t m7, uint32_t m4, uint32_t vos, uint32_t supply) {
    return CLOCK_PLAN_IS_LEGAL((int64_t)m7, (int64_t)m4, (int64_t)vos, supply);
}

uint32_t supply_register(uint32_t supply) { return CLOCK_PLAN_CR3(supply); }

/* All semaphores in use, one after the other; UINT32_MAX beyond the last. */
uint32_t semaphore(uint32_t index) {
    static const uint32_t single[] = {SEMAPHORE_GATE,         SEMAPHORE_PANIC,        SEMAPHORE_LOCK,
                                      SEMAPHORE_ATOMIC,       SEMAPHORE_BELL(0U, 0U), SEMAPHORE_BELL(0U, 1U),
                                      SEMAPHORE_BELL(1U, 0U), SEMAPHORE_BELL(1U, 1U)};
    uint32_t count = sizeof single / sizeof single[0];
    if (index < count) {
        return single[index];
    }
    return index - count < SEMAPHORE_SPINLOCKS ? SEMAPHORE_SPINLOCK + index - count : UINT32_MAX;
}
