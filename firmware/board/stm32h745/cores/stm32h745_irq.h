/* Interrupts by number, the same for both cores (RM table "NVIC": 150 of each), and their one priority */
#ifndef STM32H745_IRQ_H
#define STM32H745_IRQ_H

#include <stdint.h>

#define IRQ_COUNT 150U
#define IRQ_USART3 39U
#define IRQ_TIM5 50U
#define IRQ_HSEM(core) (125U + (core)) /* HSEM1 and HSEM2 of CMSIS */

/* The kernel's own priority, the lowest, for all: none of these interrupts and the kernel's interrupts another. 4
 * bits. */
#define IRQ_PRIORITY 0xf0U

/* Enables an interrupt on this core; clears its pending state. */
void stm32h745_irq_enable(uint32_t number);
void stm32h745_irq_disable(uint32_t number);

#endif
