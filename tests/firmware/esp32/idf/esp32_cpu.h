/* The board's esp32_cpu.h, without an Xtensa core: given to the compiler before all others, so that the board's own,
 * which has the same guard, is left out. */
#ifndef ESP32_CPU_H
#define ESP32_CPU_H

#include <stdint.h>

#define CPU_COUNTER_BITS 32
#define CPU_NAME "xtensa"
#define CPU_COUNTER "CCOUNT"
#define CPU_ATOMIC "S32C1I"

uint32_t cpu_mask(void);
void cpu_unmask(uint32_t state);
uint32_t cpu_counter(void);
uint32_t cpu_core(void);
uint32_t cpu_mask_and_read(uint32_t *core, uint32_t *counter);
void cpu_wait_for_memory(void);

#endif
