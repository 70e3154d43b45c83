/* Facts about the chip and this image that its numbers depend on. */
#ifndef RP2040_CONDITIONS_H
#define RP2040_CONDITIONS_H

#include <stdint.h>

#include "port.h"

/* Reads what has to be read from the chip. */
void rp2040_conditions_start(void);

/* Writes a number in decimal, with a 0 behind it. */
#define CONDITIONS_NUMBER_SIZE 11U
void rp2040_conditions_number(uint32_t number, char text[CONDITIONS_NUMBER_SIZE]);

/* Those that depend on whether one kernel has both cores (conditions_smp.c) or each has its own (conditions_amp.c), as
 * port_condition(), with those of the kernel's configuration. */
bool rp2040_kernels_condition(uint32_t index, struct port_condition *condition);

#endif
