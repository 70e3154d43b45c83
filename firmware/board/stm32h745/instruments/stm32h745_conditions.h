/* Conditions of the chip and of this image: properties that are stored with each run */
#ifndef STM32H745_CONDITIONS_H
#define STM32H745_CONDITIONS_H

/* Reads from the chip those conditions that are not known at build time: its revision, and the wait states of the
 * flash. Call it on core 0. */
void stm32h745_conditions_start(void);

#endif
