/* Implements port_trace.h on FreeRTOS, with the kernel's function that masks interrupts in handlers, which also works
 * in tasks. */
#include "port.h"
#include "port_trace.h"

uint32_t port_trace_mask(void) { return (uint32_t)portSET_INTERRUPT_MASK_FROM_ISR(); }

void port_trace_unmask(uint32_t kept) { portCLEAR_INTERRUPT_MASK_FROM_ISR(kept); }
