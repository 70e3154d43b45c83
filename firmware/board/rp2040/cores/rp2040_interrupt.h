/* The function of the doorbell that the handler of the inter-core FIFO (rp2040_fifo.c) calls */
#ifndef RP2040_INTERRUPT_H
#define RP2040_INTERRUPT_H

#include <stdint.h>

/* Calls the handler of this core's doorbell if the doorbell was rung. Call it in an interrupt handler. */
void rp2040_interrupt_answer_ring(uint32_t core);

#endif
