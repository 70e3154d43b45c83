#include "stm32h745_cycles.h"

#include "port.h"
#include "stm32h745_clock_extend.h"
#include "stm32h745_clocks.h"
#include "stm32h745_registers.h"

static volatile uint64_t noted;

void stm32h745_cycles_start(void) {
    DBGMCU_CR |= DBGMCU_CR_D1DBGCKEN | (IC_CORE == 0 ? DBGMCU_CR_DBGSLEEP_D1 : DBGMCU_CR_DBGSLEEP_D2);
    DEMCR |= DEMCR_TRCENA;
    if (IC_CORE == 0) {
        DWT_LAR = DWT_LAR_KEY; /* unlocks the DWT's registers; on a Cortex-M4 they are not locked */
    }
    DWT_CYCCNT = 0;
    DWT_CTRL |= DWT_CTRL_CYCCNTENA;
}

/* Returns the 64-bit count. Interrupts are masked, so that the kernel tick's handler cannot change `noted`, the count
 * that it saves, between the reads of `noted` and of the counter. */
static uint64_t read_count(void) {
    uint32_t mask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    uint64_t count = stm32h745_clock_extend_since(noted, DWT_CYCCNT);
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
    return count;
}

void stm32h745_cycles_note(void) { noted = read_count(); }

/* DSB and ISB make sure that the counter is not read before preceding instructions are complete: the core executes two
 * instructions at a time and does not wait for its stores. */
uint64_t port_cycles(void) {
    __asm volatile("dsb\n isb" ::: "memory");
    return read_count();
}

uint64_t port_cycles_hz(void) { return CLOCKS_CORE_HZ; }

uint32_t port_cycles_bits(void) { return CYCCNT_BITS; }
