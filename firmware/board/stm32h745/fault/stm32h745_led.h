/* The board's LEDs (UM2408): each core blinks its own while its kernel ticks, and the red one tells of a panic. */
#ifndef STM32H745_LED_H
#define STM32H745_LED_H

/* LD1, green, PB0, is core 0's; LD2, yellow, PE1, core 1's; LD3, red, PB14. */
void stm32h745_led_start(void);

/* One kernel tick has passed: changes this core's LED each 500. */
void stm32h745_led_beat(void);

/* Lights the red one. */
void stm32h745_led_panic(void);

#endif
