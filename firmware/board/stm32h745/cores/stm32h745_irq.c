#include "stm32h745_irq.h"

#include "stm32h745_registers.h"

void stm32h745_irq_enable(uint32_t number) {
    NVIC_IPR(number) = IRQ_PRIORITY;
    NVIC_ICPR(number) = 1U << number % 32U;
    NVIC_ISER(number) = 1U << number % 32U;
}

void stm32h745_irq_disable(uint32_t number) {
    NVIC_ICER(number) = 1U << number % 32U;
    __asm volatile("dsb\n isb" ::: "memory"); /* after this line the interrupt cannot come */
}
