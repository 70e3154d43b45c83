/* Facts about the chip and this image that its numbers depend on. */
#ifndef STM32H745_CONDITIONS_H
#define STM32H745_CONDITIONS_H

/* Reads what has to be read from the chip. On core 0. */
void stm32h745_conditions_start(void);

#endif
