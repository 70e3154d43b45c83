// What the examples need of the RP2040: registers by their datasheet names, start-up, output, time, the other core.
#pragma once
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define SIO 0xd0000000u
#define SIO_FIFO_ST REGISTER(SIO + 0x50)
#define SIO_FIFO_WR REGISTER(SIO + 0x54)
#define SIO_FIFO_RD REGISTER(SIO + 0x58)
#define FIFO_VLD 1u
#define FIFO_RDY 2u

#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define NVIC_ISER REGISTER(0xe000e100)
#define NVIC_ICER REGISTER(0xe000e180)
#define NVIC_ICPR REGISTER(0xe000e280)
#define VTOR REGISTER(0xe000ed08)

#define TIMER_ALARM0 REGISTER(0x40054010)
#define TIMER_TIMERAWL REGISTER(0x40054028)
#define TIMER_INTR REGISTER(0x40054034)
#define TIMER_INTE REGISTER(0x40054038)

#define UART0_DR REGISTER(0x40034000)
#define UART0_FR REGISTER(0x40034018)
#define UART0_IBRD REGISTER(0x40034024)
#define UART0_FBRD REGISTER(0x40034028)
#define UART0_LCR_H REGISTER(0x4003402c)
#define UART0_CR REGISTER(0x40034030)
#define UART0_IMSC REGISTER(0x40034038)
#define UART_FR_BUSY (1u << 3)
#define UART_FR_RXFE (1u << 4)
#define UART_FR_TXFF (1u << 5)

enum { IRQ_TIMER_0 = 0, IRQ_SIO_PROC0 = 15, IRQ_SIO_PROC1 = 16, IRQ_UART0 = 20 };

// Functions whose time is taken are pure assembler, in the bank that they are to be fetched from. Each waits in WFI
// for the start line (see start_line), takes two readings of SysTick, and returns the difference: the cycles of what
// is between them and of one LDR, 2.
#define MEASURED(bank) __attribute__((naked, noinline, used, aligned(4), section("." bank)))

// The program; chip.c calls it with clk_sys and clk_peri at 125 MHz, UART0 at 115200 baud, SysTick at clk_sys, and
// interrupts masked by PRIMASK.
void example(void);

void print(const char *text);
void print_number(const char *name, uint32_t number);
// What two cores took at once, the smaller first: who wins the first conflict is a matter of what was before.
void print_both(const char *name, uint32_t one, uint32_t other);

// Starts core 1 at a function, as the boot ROM lets it be started; SysTick runs there too.
void start_core_1(void (*function)(void));

// Sends core 1, in serve(), to compute function(argument), and later gets the result.
void serve(void);
void ask_core_1(uint32_t (*function)(uint32_t), uint32_t argument);
uint32_t core_1_result(void);

// In 100 us, an alarm ends the WFI of both cores in the same cycle, if they sleep by then. It stays pending: PRIMASK
// keeps it from being taken.
void start_line(void);

// Sets the handler of an interrupt of both cores.
void set_handler(int irq, void (*handler)(void));
