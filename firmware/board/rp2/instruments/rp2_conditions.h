/* Conditions of the chip and of this image: properties that are stored with a run */
#ifndef RP2_CONDITIONS_H
#define RP2_CONDITIONS_H

#include <stdint.h>

#include "port.h"

/* Reads from the chip the conditions that are not known at build time, such as its revision and core voltage. */
void rp2_conditions_start(void);

/* Writes a number into `text` in decimal, zero-terminated. */
#define CONDITIONS_NUMBER_SIZE 11U
void rp2_conditions_number(uint32_t number, char text[CONDITIONS_NUMBER_SIZE]);

/* Reports the conditions that depend on whether one kernel runs on both cores (conditions_smp.c) or each core has its
 * own kernel (conditions_amp.c), and the conditions of the kernel's configuration. Used like port_condition(). */
bool rp2_kernels_condition(uint32_t index, struct port_condition *condition);

#endif
