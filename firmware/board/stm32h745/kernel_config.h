/* This board's settings for the kernel's ports for the Cortex-M7 and the Cortex-M4 */
#ifndef STM32H745_KERNEL_CONFIG_H
#define STM32H745_KERNEL_CONFIG_H

/* This core's clock in Hz, which SysTick counts: the clock that was chosen at build time */
#if IC_CORE == 0
#define configCPU_CLOCK_HZ (IC_M7_MHZ * 1000000UL)
#else
#define configCPU_CLOCK_HZ (IC_M4_MHZ * 1000000UL)
#endif

/* The chip has 4 bits of priority. The kernel has the lowest, 15, and masks the priorities 5 to 15. The interrupts of
 * this firmware have the kernel's priority (stm32h745_irq.h). */
#define configPRIO_BITS 4
#define configKERNEL_INTERRUPT_PRIORITY 0xf0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x50

/* The kernel finds the highest ready priority by one instruction (CLZ), which this core has. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1

/* Interrupts use main()'s stack, which is reset when the scheduler starts: main() does not resume. */
#define configRESET_STACK_POINTER 1

/* Bytes of the heap, for about ten tasks with stacks of 2 KiB at the same time */
#define configTOTAL_HEAP_SIZE 32768

#endif
