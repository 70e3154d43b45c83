/* Faults. */
#ifndef RP2040_FAULT_H
#define RP2040_FAULT_H

/* Handler of HardFault: panics with the address of the faulting instruction. */
void rp2040_fault_hard(void);

#endif
