/* This board's part of port_amp.h, the port with a kernel on each core */
#ifndef STM32H745_AMP_H
#define STM32H745_AMP_H

/* Handles this core's interrupt of the hardware semaphores (HSEM), which serves as the doorbell. */
void stm32h745_amp_interrupt(void);

#endif
