// UART echo: sends back what it gets, up to a line end, and then how many cycles lay between its first and last byte.
//
// The core sleeps until a byte raises the interrupt, so that it sees every byte after the same delay. A byte takes 10
// bits of 1085 cycles: bytes that follow each other without a pause are 10850 apart.
#include "chip.h"

// Sleeps until an interrupt is pending, and reads SysTick.
MEASURED("sram4") static uint32_t wait(void) {
    __asm__ volatile("    ldr  r3, 1f      \n"
                     "    wfi              \n"
                     "    ldr  r0, [r3]    \n"
                     "    bx   lr          \n"
                     "    .align 2         \n"
                     "1:  .word 0xe000e018 \n");
}

void example(void) {
    UART0_CR = 0;
    UART0_LCR_H = 3 << 5; // without FIFOs every byte raises the interrupt
    UART0_CR = 1 << 9 | 1 << 8 | 1;
    UART0_IMSC = 1 << 4;
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_UART0;
    print("ready\n");
    uint32_t bytes = 0, first = 0, last = 0;
    for (uint8_t byte = 0; byte != '\n'; bytes++) {
        last = wait();
        if (bytes == 0) {
            first = last;
        }
        byte = (uint8_t)UART0_DR;
        NVIC_ICPR = 1u << IRQ_UART0;
        while ((UART0_FR & UART_FR_TXFF) != 0) {
        }
        UART0_DR = byte;
    }
    print_number("bytes:", bytes);
    print_number("cycles from the first to the last:", (first - last) & 0xffffff);
}
