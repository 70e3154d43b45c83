/* The timer of port_interrupt.h: channel 1 of TIM5. TIM5 is the lower half of the common clock, so the timer fires
 * exactly when the clock reads the requested value. */
#ifndef STM32H745_TIMER_H
#define STM32H745_TIMER_H

/* Handler of TIM5's interrupt, on either core. */
void stm32h745_timer_interrupt(void);

#endif
