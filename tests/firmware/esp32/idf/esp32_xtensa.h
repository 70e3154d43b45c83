/* The board's esp32_xtensa.h, without an Xtensa core: given to the compiler before all others, so that the board's own,
 * which has the same guard, is left out. */
#ifndef ESP32_XTENSA_H
#define ESP32_XTENSA_H

#include <stdbool.h>
#include <stdint.h>

uint32_t xtensa_mask(void);
void xtensa_unmask(uint32_t state);
uint32_t xtensa_counter(void);
uint32_t xtensa_core(void);
uint32_t xtensa_mask_and_read(uint32_t *core, uint32_t *counter);
void xtensa_wait_for_memory(void);
void xtensa_set_compare_1(uint32_t counter);
bool xtensa_is_pending(uint32_t number);
uint32_t xtensa_compare_0(void);

#endif
