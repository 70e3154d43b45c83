/* The start of the firmware on this core, from the first instruction to main() */
#ifndef STM32H745_START_H
#define STM32H745_START_H

/* Entry of the image */
void board_entry(void) __attribute__((noreturn));

/* Handler of HardFault, and of the faults that can escalate to it. It panics with the address of the faulting
 * instruction. */
void stm32h745_start_fault(void);

/* Resets the whole chip, both cores and all peripherals (RM 9.4.3, SFT1RESET). */
void stm32h745_start_reset_chip(void) __attribute__((noreturn));

#endif
