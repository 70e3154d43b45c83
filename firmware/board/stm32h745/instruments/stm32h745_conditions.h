/* Conditions of the chip and of this image: properties that are stored with each run */
#ifndef STM32H745_CONDITIONS_H
#define STM32H745_CONDITIONS_H

/* Reads those conditions from the chip that are not known when the program is built, such as its revision and clocks.
 * Call it on core 0. */
void stm32h745_conditions_start(void);

#endif
