/* The board's LEDs (UM2408): each core blinks its own LED while its kernel ticks, and the red LED shows a panic. */
#ifndef STM32H745_LED_H
#define STM32H745_LED_H

/* Prepares the LEDs: LD1 (green, PB0) is core 0's, LD2 (yellow, PE1) is core 1's, and LD3 (red, PB14) shows a panic. */
void stm32h745_led_start(void);

/* Toggles this core's LED at every 500th call. Each kernel tick calls it, so the LED blinks once a second. */
void stm32h745_led_beat(void);

/* Switches the red LED on. */
void stm32h745_led_panic(void);

#endif
