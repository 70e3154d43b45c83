/* Settings of this board for the kernel's ports for the Cortex-M7 and the Cortex-M4 */
#ifndef STM32H745_KERNEL_CONFIG_H
#define STM32H745_KERNEL_CONFIG_H

/* This core's clock, which SysTick counts. It is checked against the plan of the clocks (stm32h745_clocks.h). */
#if IC_CORE == 0
#define configCPU_CLOCK_HZ (IC_M7_MHZ * 1000000UL)
#else
#define configCPU_CLOCK_HZ (IC_M4_MHZ * 1000000UL)
#endif

/* The chip has 4 bits of priority. The kernel has the lowest, and masks up to 5 of 15; this program's interrupts have
 * the kernel's (stm32h745_irq.h). */
#define configPRIO_BITS 4
#define configKERNEL_INTERRUPT_PRIORITY 0xf0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x50

/* With the index of the highest bit, one instruction: this core has it. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1

/* main() does not resume: interrupts use its stack, which is reset. */
#define configRESET_STACK_POINTER 1

/* Bytes, for about ten tasks with stacks of 2 KiB at a time */
#define configTOTAL_HEAP_SIZE 32768

#endif
