/* The board's LEDs (UM2408): each core blinks its own while its kernel ticks, and the red one shows a panic. */
#ifndef STM32H745_LED_H
#define STM32H745_LED_H

/* LD1, green, PB0: core 0; LD2, yellow, PE1: core 1; LD3, red, PB14. */
void stm32h745_led_start(void);

/* Call it at each kernel tick: toggles this core's LED every 500. */
void stm32h745_led_beat(void);

/* Switches the red one on. */
void stm32h745_led_panic(void);

#endif
