#include "stm32h745_uart.h"

#include "console_freertos.h"
#include "port_freertos.h"
#include "stm32h745_baud.h"
#include "stm32h745_clocks.h"
#include "stm32h745_irq.h"
#include "stm32h745_registers.h"

/* The FIFOs have 16 entries (RM 51.4). The receive interrupt comes when a quarter of the receive FIFO is full, or after
 * 32 bit times without input. The transmit interrupt comes as long as three quarters of the transmit FIFO are free (RM
 * 51.8.4). */
#define RXFTCFG_QUARTER 1U
#define TXFTCFG_THREE_QUARTERS 3U
#define TIMEOUT_BITS 32U

#define PIN_TX 8U
#define PIN_RX 9U
#define AF_USART3 7U /* DS table "Port D alternate functions" */

static uint32_t rate;

/* The output that has not been put into the FIFO yet */
static struct {
    const uint8_t *next;
    size_t left;
    volatile bool done;
} output;

/* ---- interrupt ---- */

/* Takes the received bytes out of the FIFO. An error flag belongs to the character that is read next. The overrun flag
 * does not: it means that characters were lost after the ones in the FIFO (RM 51.5.6). */
static bool take_input(void) {
    const uint32_t errors = USART_ISR_PE | USART_ISR_FE | USART_ISR_NE;
    bool any = false;
    uint32_t status = USART3_ISR;
    bool lost = (status & USART_ISR_ORE) != 0;
    for (; (status & USART_ISR_RXFNE) != 0; status = USART3_ISR) {
        uint8_t byte = (uint8_t)USART3_RDR;
        console_put((status & errors) != 0 ? CONSOLE_GARBAGE : byte);
        USART3_ICR = errors;
        any = true;
    }
    if (lost) {
        USART3_ICR = USART_ISR_ORE;
        console_put(CONSOLE_GARBAGE);
        any = true;
    }
    return any;
}

static void give_output(void) {
    while (output.left > 0 && (USART3_ISR & USART_ISR_TXFNF) != 0) {
        USART3_TDR = *output.next++;
        output.left--;
    }
}

/* Fills the FIFO. The transmit interrupt comes again whenever three quarters of the FIFO are free, so it is disabled
 * here once all output is in the FIFO. Returns true in that case. */
static bool continue_output(void) {
    give_output();
    if (output.left > 0) {
        return false;
    }
    USART3_CR3 &= ~USART_CR3_TXFTIE;
    output.done = true;
    return true;
}

void stm32h745_uart_interrupt(void) {
    USART3_ICR = USART_ISR_RTOF;
    bool wake = take_input();
    if ((USART3_CR3 & USART_CR3_TXFTIE) != 0) {
        wake = continue_output() || wake;
    }
    if (wake) {
        console_wake_from_handler();
    }
}

enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline) {
    return console_read(buffer, size, received, deadline);
}

/* ---- output ---- */

/* Sends all bytes. Busy-waits while the last bytes in the FIFO are sent, because to sleep until then would cost one
 * more interrupt. */
enum port_error port_console_write(const uint8_t *bytes, size_t size) {
    output.next = bytes;
    output.left = size;
    output.done = size == 0;
    console_wait_begin();
    if (size > 0) {
        taskENTER_CRITICAL(); /* the interrupt handler also changes this register */
        USART3_CR3 |= USART_CR3_TXFTIE;
        taskEXIT_CRITICAL();
    }
    while (!output.done) {
        console_wait(portMAX_DELAY);
    }
    console_wait_end();
    while ((USART3_ISR & USART_ISR_TC) == 0) {
    }
    return PORT_OK;
}

/* ---- bit rate ---- */

uint32_t port_console_rate_choice(uint32_t index) { return stm32h745_baud_choice(stm32h745_clocks_apb_hz(), index); }

uint32_t port_console_rate(void) { return rate; }

/* USART_BRR can be written only while the USART is disabled (RM 51.8.5). Disabling it discards the contents of the
 * FIFOs, so the received bytes are taken out first. */
void port_console_set_rate(uint32_t bits_per_second) {
    uint32_t mask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    uint32_t cr1 = USART3_CR1;
    (void)take_input();
    rate = bits_per_second;
    USART3_CR1 = cr1 & ~USART_CR1_UE;
    USART3_BRR = stm32h745_baud_divisor(stm32h745_clocks_apb_hz(), bits_per_second);
    USART3_CR1 = cr1 | USART_CR1_UE;
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
}

/* ---- start-up ---- */

static void connect(uint32_t pin) {
    GPIO_AFRH(GPIOD) = (GPIO_AFRH(GPIOD) & ~(0xfU << 4U * (pin - 8U))) | AF_USART3 << 4U * (pin - 8U);
    GPIO_MODER(GPIOD) = (GPIO_MODER(GPIOD) & ~(3U << 2U * pin)) | GPIO_ALTERNATE << 2U * pin;
}

void stm32h745_uart_start(void) {
    RCC_AHB4ENR |= RCC_AHB4ENR_GPIODEN;
    RCC_APB1LENR |= RCC_APB1LENR_USART3EN;
    (void)RCC_APB1LENR;
    GPIO_PUPDR(GPIOD) |= GPIO_PULL_UP << 2U * PIN_RX; /* an open input pin must not read as a start bit */
    connect(PIN_TX);
    connect(PIN_RX);
    USART3_CR1 = USART_CR1_FIFOEN | USART_CR1_RE | USART_CR1_TE;
    USART3_CR2 = USART_CR2_RTOEN;
    USART3_RTOR = TIMEOUT_BITS;
    USART3_CR3 = RXFTCFG_QUARTER << USART_CR3_RXFTCFG_SHIFT | TXFTCFG_THREE_QUARTERS << USART_CR3_TXFTCFG_SHIFT;
    port_console_set_rate(UART_RATE);
}

void stm32h745_uart_listen(void) {
    USART3_CR1 |= USART_CR1_RTOIE;
    USART3_CR3 |= USART_CR3_RXFTIE;
    stm32h745_irq_enable(IRQ_USART3);
}
