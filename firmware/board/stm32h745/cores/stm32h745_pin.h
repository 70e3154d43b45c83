/* The pin that raises an interrupt (port_pin.h): PG12, which is D7 of the Arduino connector CN10 (UM2408) */
#ifndef STM32H745_PIN_H
#define STM32H745_PIN_H

#define PIN_TEXT "PG12 (D7 at CN10)"

/* Handles the interrupt IRQ_EXTI15_10. */
void stm32h745_pin_interrupt(void);

#endif
