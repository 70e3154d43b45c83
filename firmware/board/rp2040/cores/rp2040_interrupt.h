/* What the handler of the inter-core FIFO (rp2040_fifo.c) needs from the doorbell */
#ifndef RP2040_INTERRUPT_H
#define RP2040_INTERRUPT_H

#include <stdint.h>

/* Calls the doorbell's handler if this core has been rung. Call it in an interrupt handler. */
void rp2040_interrupt_answer_ring(uint32_t core);

#endif
