#include "stm32h745_mpu.h"

#include "stm32h745_memory_map.h"
#include "stm32h745_mpu_table.h"
#include "stm32h745_registers.h"

#define ART_PAGE_SHIFT 20U

#if IC_CORE == 0

/* Numbers of sets and of ways of the L1 data cache, from the register CCSIDR (ARM B4.8.2) */
#define SETS(ccsidr) (((ccsidr) >> 13U & 0x7fffU) + 1U)
#define WAYS(ccsidr) (((ccsidr) >> 3U & 0x3ffU) + 1U)

static void wait_for_it(void) { __asm volatile("dsb\n isb" ::: "memory"); }

/* Invalidates the whole data cache, because its contents are undefined after power-on. */
static void invalidate_dcache(void) {
    SCB_CSSELR = 0;
    wait_for_it();
    uint32_t ccsidr = SCB_CCSIDR;
    uint32_t way_shift = (uint32_t)__builtin_clz(WAYS(ccsidr) - 1U); /* ARM B2.2.6 */
    uint32_t set_shift = (ccsidr & 7U) + 4U;
    for (uint32_t set = 0; set < SETS(ccsidr); set++) {
        for (uint32_t way = 0; way < WAYS(ccsidr); way++) {
            SCB_DCISW = way << way_shift | set << set_shift;
        }
    }
    wait_for_it();
}

void stm32h745_mpu_start(void) {
    struct stm32h745_mpu_entry entries[MPU_ENTRIES];
    stm32h745_mpu_table_make(entries);
    MPU_CTRL = 0;
    for (uint32_t i = 0; i < MPU_ENTRIES; i++) {
        MPU_RBAR = entries[i].rbar;
        MPU_RASR = entries[i].rasr;
    }
    MPU_CTRL = MPU_CTRL_VALUE;
    wait_for_it();
    if (IC_DCACHE) {
        invalidate_dcache();
        SCB_CCR |= SCB_CCR_DC;
        wait_for_it();
    }
    if (IC_ICACHE) {
        SCB_ICIALLU = 0;
        wait_for_it();
        SCB_CCR |= SCB_CCR_IC;
        wait_for_it();
    }
}

#else

void stm32h745_mpu_start(void) {
    /* This core must itself enable its access to D1's memories (RM 9.5.10). */
    RCC_AHB3ENR |= RCC_AHB3ENR_FLASHEN | RCC_AHB3ENR_AXISRAMEN;
    RCC_AHB1ENR |= RCC_AHB1ENR_ARTEN;
    (void)RCC_AHB1ENR;
    ART_CTR = 0;
    ART_CTR = MEMORY_FLASH_BANK_2 >> ART_PAGE_SHIFT << ART_CTR_PCACHEADDR_SHIFT;
    ART_CTR |= ART_CTR_EN;
}

#endif
