/* What is reported with each run about the chip and about this image: its conditions */
#ifndef STM32H745_CONDITIONS_H
#define STM32H745_CONDITIONS_H

/* Reads those conditions from the chip that are not known when the program is built, such as its revision and clocks.
 * Call it on core 0. */
void stm32h745_conditions_start(void);

#endif
