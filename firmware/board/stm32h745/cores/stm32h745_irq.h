/* Interrupts by number, the same for both cores (RM table "NVIC": 150 of each), and their one priority. */
#ifndef STM32H745_IRQ_H
#define STM32H745_IRQ_H

#include <stdint.h>

#define IRQ_COUNT 150U
#define IRQ_USART3 39U
#define IRQ_TIM5 50U
#define IRQ_HSEM(core) (125U + (core)) /* HSEM1 and HSEM2 of CMSIS */

/* What we have is the kernel's own priority, the lowest: so none of ours and the kernel interrupts another. 4 bits. */
#define IRQ_PRIORITY 0xf0U

/* Lets this core take an interrupt; what is pending from before is forgotten. */
void stm32h745_irq_enable(uint32_t number);
void stm32h745_irq_disable(uint32_t number);

#endif
