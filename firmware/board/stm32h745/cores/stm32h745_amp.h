/* This board's part of port_amp.h, for a kernel on each core */
#ifndef STM32H745_AMP_H
#define STM32H745_AMP_H

/* Handles the hardware semaphores' interrupt of this core, which is the doorbell. */
void stm32h745_amp_interrupt(void);

#endif
