/* Enables interrupts by their numbers, which are the same for both cores (RM table "NVIC": each core has 150). All have
 * the same priority. */
#ifndef STM32H745_IRQ_H
#define STM32H745_IRQ_H

#include <stdint.h>

#define IRQ_COUNT 150U
#define IRQ_USART3 39U
#define IRQ_EXTI15_10 40U
#define IRQ_TIM5 50U
#define IRQ_HSEM(core) (125U + (core)) /* HSEM1 and HSEM2 of CMSIS */

/* The kernel's own priority, the lowest. All interrupts of this firmware have this priority, so that no interrupt
 * handler, of the firmware or of the kernel, interrupts another. Only the upper 4 bits of a priority count. */
#define IRQ_PRIORITY 0xf0U

/* Enables an interrupt on this core, and clears its pending state. */
void stm32h745_irq_enable(uint32_t number);
void stm32h745_irq_disable(uint32_t number);

#endif
