/* Memory protection, caches and other accelerators of this core's memory accesses */
#ifndef STM32H745_MPU_H
#define STM32H745_MPU_H

/* On core 0: sets up the table of stm32h745_mpu_table.h, and the caches as chosen at build time (IC_ICACHE, IC_DCACHE).
 * On core 1, which uses no MPU and has no caches: enables the ART accelerator for core 1's bank of the flash (RM 6).
 * Call it once, at the start. */
void stm32h745_mpu_start(void);

#endif
