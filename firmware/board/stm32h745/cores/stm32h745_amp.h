/* This board's part of two kernels (port_amp.h) */
#ifndef STM32H745_AMP_H
#define STM32H745_AMP_H

/* Handler of this core's interrupt of the hardware semaphores: the doorbell */
void stm32h745_amp_interrupt(void);

#endif
