/* The doorbell's part in the handler of the inter-core FIFO's interrupt (rp2040_fifo.c) */
#ifndef RP2040_INTERRUPT_H
#define RP2040_INTERRUPT_H

#include <stdint.h>

/* Calls the doorbell's handler if this core has been rung. In a handler. */
void rp2040_interrupt_answer_ring(uint32_t core);

#endif
