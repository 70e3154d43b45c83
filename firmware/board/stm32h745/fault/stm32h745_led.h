/* The board's LEDs (UM2408): each core blinks its own while its kernel ticks, and the red one shows a panic. */
#ifndef STM32H745_LED_H
#define STM32H745_LED_H

/* LD1, green, PB0: core 0; LD2, yellow, PE1: core 1; LD3, red, PB14. */
void stm32h745_led_start(void);

/* Toggles this core's LED at every 500th call. Call it at each kernel tick. */
void stm32h745_led_beat(void);

/* Switches the red LED on. */
void stm32h745_led_panic(void);

#endif
