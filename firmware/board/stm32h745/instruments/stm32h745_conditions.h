/* Conditions of the chip and of this image */
#ifndef STM32H745_CONDITIONS_H
#define STM32H745_CONDITIONS_H

/* Reads the conditions that must be read from the chip. Call it on core 0. */
void stm32h745_conditions_start(void);

#endif
