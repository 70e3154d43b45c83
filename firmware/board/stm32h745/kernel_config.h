/* This board's configuration of FreeRTOS's ports for the Cortex-M7 and the Cortex-M4 */
#ifndef STM32H745_KERNEL_CONFIG_H
#define STM32H745_KERNEL_CONFIG_H

/* Rate of this core's clock in Hz, as chosen at build time; SysTick counts this clock */
#if IC_CORE == 0
#define configCPU_CLOCK_HZ (IC_M7_MHZ * 1000000UL)
#else
#define configCPU_CLOCK_HZ (IC_M4_MHZ * 1000000UL)
#endif

/* The chip has 4 bits of priority. The kernel's own interrupts have the lowest priority, 15, and its critical sections
 * mask the priorities 5 to 15. All interrupts of this firmware have the kernel's priority (stm32h745_irq.h). */
#define configPRIO_BITS 4
#define configKERNEL_INTERRUPT_PRIORITY 0xf0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x50

/* The kernel finds the highest ready priority with one instruction (CLZ), which both cores have. */
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1

/* Interrupts use main()'s stack, which is reset when the scheduler starts, because main() does not resume. */
#define configRESET_STACK_POINTER 1

/* Bytes of the heap, for about ten tasks with stacks of 2 KiB at the same time */
#define configTOTAL_HEAP_SIZE 32768

#endif
