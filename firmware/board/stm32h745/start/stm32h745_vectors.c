#include "stm32h745_vectors.h"

#include "port_freertos.h"
#include "stm32h745_amp.h"
#include "stm32h745_board.h"
#include "stm32h745_pin.h"
#include "stm32h745_start.h"
#include "stm32h745_timer.h"
#include "stm32h745_uart.h"

/* The kernel port's exception handlers, under the names that the kernel gives them */
void vPortSVCHandler(void);
void xPortPendSVHandler(void);

extern uint32_t board_stack_top[];

static void unexpected(void) {
    uint32_t number;
    __asm volatile("mrs %0, ipsr" : "=r"(number));
    board_panic("an exception or interrupt without a handler", "", number);
}

/* Array designators for the vector table: the entries of an exception, an interrupt and a range of interrupts, given
 * by number */
#define EXCEPTION(number) [(number) - 1U]
#define IRQ(number) [VECTORS_OF_CORE - 1U + (number)]
#define IRQS(first, last) [VECTORS_OF_CORE - 1U + (first)... VECTORS_OF_CORE - 1U + (last)]

/* Core 1 has no console. */
#if IC_CORE == 0
#define USART3_HANDLER stm32h745_uart_interrupt
#else
#define USART3_HANDLER unexpected
#endif

__attribute__((section(".vectors"), aligned(VECTORS_ALIGN), used))
const struct stm32h745_vector_table stm32h745_vectors = {
    .stack = board_stack_top,
    .handlers =
        {
            EXCEPTION(1) = board_entry,
            EXCEPTION(2) = unexpected,
            EXCEPTION(3) = stm32h745_start_fault,
            EXCEPTION(4) = stm32h745_start_fault,
            EXCEPTION(5) = stm32h745_start_fault,
            EXCEPTION(6) = stm32h745_start_fault,
            EXCEPTION(11) = vPortSVCHandler,
            EXCEPTION(12) = unexpected,
            EXCEPTION(14) = xPortPendSVHandler,
            EXCEPTION(15) = stm32h745_board_tick,
            IRQS(0U, IRQ_USART3 - 1U) = unexpected,
            IRQ(IRQ_USART3) = USART3_HANDLER,
            IRQ(IRQ_EXTI15_10) = stm32h745_pin_interrupt,
            IRQS(IRQ_EXTI15_10 + 1U, IRQ_TIM5 - 1U) = unexpected,
            IRQ(IRQ_TIM5) = stm32h745_timer_interrupt,
            IRQS(IRQ_TIM5 + 1U, IRQ_HSEM(IC_CORE) - 1U) = unexpected,
            IRQ(IRQ_HSEM(IC_CORE)) = stm32h745_amp_interrupt,
            IRQS(IRQ_HSEM(IC_CORE) + 1U, IRQ_COUNT - 1U) = unexpected,
        },
};
