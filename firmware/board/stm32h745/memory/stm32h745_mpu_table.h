/* What the Cortex-M7's memory protection unit is to hold (ARMv7-M B3.5; PM0253 4.6), as values of its registers. Pure
 * arithmetic: stm32h745_mpu.c writes it into the registers, and tests/firmware/stm32h745 reads it back as an MPU would.
 *
 * The Cortex-M4 has no data cache and keeps its default map.
 *
 * The rules of caches, once and for all:
 * - What both cores access lies in a window (stm32h745_memory_map.h), and windows are Normal, non-cacheable memory
 *   here. So there is nothing to clean or to invalidate, anywhere.
 * - Non-cacheable accesses still pass write buffers, and the core may do them in another order. Who announces something
 *   puts a DMB between what it wrote and the announcement, who has seen an announcement a DMB before it reads: C11's
 *   release and acquire do that. Before HSEM rings or a lock is given back it is a DSB: registers are Device memory,
 *   and nothing else orders Normal memory against an interrupt on the other core.
 * - Windows are not Shareable (S = 0). With S = 1 the exclusive accesses of the Cortex-M7 would go out to the bus,
 *   where nothing monitors them, and a loop around STREX might never end. With S = 0 the core's own monitor answers
 *   (Cortex-M7 TRM 2.5): they work among the tasks and handlers of one core, and mean nothing to the other. So no
 *   atomic read-modify-write may be used between cores; they have HSEM for it.
 * - Everything else that is cached belongs to the Cortex-M7 alone. */
#ifndef STM32H745_MPU_TABLE_H
#define STM32H745_MPU_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* RBAR and RASR of a region; RBAR with the region's number and VALID. */
struct stm32h745_mpu_entry {
    uint32_t rbar;
    uint32_t rasr;
};

/* What memory is (ARMv7-M table B3-13: TEX, C, B). */
enum stm32h745_mpu_kind {
    MPU_FORBIDDEN,  /* no access, not even a speculative one */
    MPU_CACHED,     /* Normal; write-back, allocated by reads and writes */
    MPU_NOT_CACHED, /* Normal, non-cacheable, not Shareable */
    MPU_CODE,       /* Normal, read only, write-through; instructions */
};

/* Makes the entry of a region of 2^log2_bytes bytes, 5 (32) to 32 (4 GiB), at a multiple of that. Bit n of
 * `subregions_off` leaves out its eighth part n; only of regions of 256 bytes and more. False if such a region cannot
 * be. */
bool stm32h745_mpu_entry_make(uint32_t number, uint32_t base, uint32_t log2_bytes, uint32_t subregions_off,
                              enum stm32h745_mpu_kind kind, struct stm32h745_mpu_entry *entry);

/* The table. A region with a higher number wins where several overlap. */
#define MPU_ENTRIES 6U
void stm32h745_mpu_table_make(struct stm32h745_mpu_entry entries[MPU_ENTRIES]);

/* MPU_CTRL: on, off in HardFault and NMI, and what no region names is as in the default map. */
#define MPU_CTRL_VALUE 5U

#endif
