/* Memory protection, caches and other accelerators of this core's memory */
#ifndef STM32H745_MPU_H
#define STM32H745_MPU_H

/* Core 0: the table of stm32h745_mpu_table.h, and the caches as built (IC_ICACHE, IC_DCACHE). Core 1, which has
 * neither: always the ART accelerator for its bank of the flash (RM 6). Call it once, at the start. */
void stm32h745_mpu_start(void);

#endif
