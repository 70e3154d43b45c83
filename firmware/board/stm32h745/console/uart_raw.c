/* The part of the console driver that both cores' images contain: it prints the line of a panic. */
#include "stm32h745_registers.h"
#include "stm32h745_uart.h"

void stm32h745_uart_write_raw(const char *bytes, size_t size) {
    RCC_APB1LENR |= RCC_APB1LENR_USART3EN; /* each core has its own enable bit (RM 9.5.9) */
    (void)RCC_APB1LENR;
    USART3_CR1 &= ~USART_CR1_RTOIE;
    USART3_CR3 &= ~(USART_CR3_RXFTIE | USART_CR3_TXFTIE);
    for (size_t i = 0; i < size; i++) {
        while ((USART3_ISR & USART_ISR_TXFNF) == 0) {
        }
        USART3_TDR = (uint8_t)bytes[i];
    }
    while ((USART3_ISR & USART_ISR_TC) == 0) {
    }
}
