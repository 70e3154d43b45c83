#include "stm32h745_vectors.h"

#include "port_freertos.h"
#include "stm32h745_amp.h"
#include "stm32h745_board.h"
#include "stm32h745_start.h"
#include "stm32h745_timer.h"
#include "stm32h745_uart.h"

/* Names that the kernel's port gives its handlers. */
void vPortSVCHandler(void);
void xPortPendSVHandler(void);

extern uint32_t board_stack_top[];

static void unexpected(void) {
    uint32_t number;
    __asm volatile("mrs %0, ipsr" : "=r"(number));
    board_panic("an exception or interrupt without a handler", "", number);
}

/* Where a handler stands: exceptions by their number, interrupts by theirs. */
#define EXCEPTION(number) [(number) - 1U]
#define IRQ(number) [VECTORS_OF_CORE - 1U + (number)]
#define IRQS(first, last) [VECTORS_OF_CORE - 1U + (first)... VECTORS_OF_CORE - 1U + (last)]

/* Core 1 has no console. */
#if IC_CORE == 0
#define USART3_HANDLER uart_interrupt
#else
#define USART3_HANDLER unexpected
#endif

__attribute__((section(".vectors"), aligned(VECTORS_ALIGN), used)) const struct vector_table vectors = {
    .stack = board_stack_top,
    .handlers =
        {
            EXCEPTION(1) = board_entry,
            EXCEPTION(2) = unexpected,
            EXCEPTION(3) = start_fault,
            EXCEPTION(4) = start_fault,
            EXCEPTION(5) = start_fault,
            EXCEPTION(6) = start_fault,
            EXCEPTION(11) = vPortSVCHandler,
            EXCEPTION(12) = unexpected,
            EXCEPTION(14) = xPortPendSVHandler,
            EXCEPTION(15) = board_tick,
            IRQS(0U, IRQ_USART3 - 1U) = unexpected,
            IRQ(IRQ_USART3) = USART3_HANDLER,
            IRQS(IRQ_USART3 + 1U, IRQ_TIM5 - 1U) = unexpected,
            IRQ(IRQ_TIM5) = timer_interrupt,
            IRQS(IRQ_TIM5 + 1U, IRQ_HSEM(IC_CORE) - 1U) = unexpected,
            IRQ(IRQ_HSEM(IC_CORE)) = amp_interrupt,
            IRQS(IRQ_HSEM(IC_CORE) + 1U, IRQ_COUNT - 1U) = unexpected,
        },
};
