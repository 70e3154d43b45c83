/* Contents of the Cortex-M7's memory protection unit (ARMv7-M B3.5; PM0253 4.6), as values of its registers. This code
 * only computes the values: stm32h745_mpu.c writes them into the registers, and tests/firmware/stm32h745 interprets
 * them like an MPU.
 *
 * The Cortex-M4 has no data cache and keeps its default memory map.
 *
 * Rules for caches:
 *
 * - Data that both cores access are in a window, shared memory that stm32h745_memory_map.h defines. Windows are Normal,
 *   non-cacheable memory for the Cortex-M7, so the cache need never be cleaned or invalidated.
 * - Non-cacheable accesses still pass write buffers, and the core may reorder them. A core that publishes data needs a
 *   DMB between the data and the flag. A core that has seen the flag needs a DMB before it reads the data. C11's
 *   release and acquire operations emit these barriers. A DSB is needed before HSEM raises an interrupt or a lock is
 *   released: registers are Device memory, and nothing else orders Normal memory against an interrupt on the other
 *   core.
 * - Windows are not Shareable (S = 0). With S = 1 the exclusive accesses of the Cortex-M7 would go to the bus, which
 *   has no monitor, and a loop around STREX might never end. With S = 0 the core's own monitor answers (Cortex-M7 TRM
 *   2.5). Exclusive accesses then work between the tasks and handlers of one core, but not between the cores. So do not
 *   use atomic read-modify-write operations between cores; use HSEM.
 * - All cached memory belongs to the Cortex-M7 alone. */
#ifndef STM32H745_MPU_TABLE_H
#define STM32H745_MPU_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Values of the registers RBAR and RASR for a region. RBAR contains the region's number and VALID. */
struct stm32h745_mpu_entry {
    uint32_t rbar;
    uint32_t rasr;
};

/* Memory types (ARMv7-M table B3-13: TEX, C, B) */
enum stm32h745_mpu_kind {
    MPU_FORBIDDEN,  /* no access, not even a speculative one */
    MPU_CACHED,     /* Normal; write-back, read and write allocate */
    MPU_NOT_CACHED, /* Normal, non-cacheable, not Shareable */
    MPU_CODE,       /* Normal, read only, write-through; instructions */
};

/* Makes the entry of a region of 2^log2_bytes bytes; log2_bytes is 5 (32 bytes) to 32 (4 GiB), and `base` is a multiple
 * of the size. Bit n of `subregions_off` excludes eighth number n (0 to 7) of the region, for regions of 256 bytes or
 * more only. Returns false if the MPU cannot represent such a region. */
bool stm32h745_mpu_entry_make(uint32_t number, uint32_t base, uint32_t log2_bytes, uint32_t subregions_off,
                              enum stm32h745_mpu_kind kind, struct stm32h745_mpu_entry *entry);

/* Makes the entries of all regions. Where regions overlap, the region with the highest number applies. */
#define MPU_ENTRIES 7U
void stm32h745_mpu_table_make(struct stm32h745_mpu_entry entries[MPU_ENTRIES]);

/* Value of MPU_CTRL: the MPU is on, but off in HardFault and NMI handlers; outside all regions the default map
 * applies */
#define MPU_CTRL_VALUE 5U

#endif
