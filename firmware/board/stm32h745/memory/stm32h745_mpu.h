/* Memory protection, caches and what else speeds this core's memory up. */
#ifndef STM32H745_MPU_H
#define STM32H745_MPU_H

/* Core 0: the table of stm32h745_mpu_table.h, and the caches that the build asks for (IC_ICACHE, IC_DCACHE). Core 1,
 * which has neither: the ART accelerator in front of its bank of the flash (RM 6), always. To be called once, at the
 * start. */
void stm32h745_mpu_start(void);

#endif
