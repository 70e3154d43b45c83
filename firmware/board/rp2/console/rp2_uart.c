#include "rp2_uart.h"

#include "chip.h"
#include "console_freertos.h"
#include "hardware/irq.h"
#include "hardware/sync.h"
#include "port_freertos.h"
#include "rp2_clocks.h"
#include "rp2_console.h"
#include "rp2_image.h"

/* The transmit interrupt comes when only TX_LEVEL of the transmit FIFO's 32 entries are left to send. The receive
 * interrupt comes when a quarter of the receive FIFO is full, or has held data for 32 bit times (DS 4.2.6). */
#define TX_LEVEL 4U
#define IFLS_TX_EIGHTH 0U
#define IFLS_RX_QUARTER (1U << 3U)
#define RX_LEFT 24U /* free entries of the receive FIFO when a quarter of it is full */

/* Bit rates that common USB serial adapters support. The divisor is at least 1 (48 MHz / 16 / 3000000) and is rounded
 * to 64ths, so the rate is off by at most 0.8 %, or 0.3 % if clk_peri is 125 MHz. The errors of the two ends of the
 * line may add up to 5 %. */
static const uint32_t rates[] = {115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 3000000};
static uint32_t rate;

/* The output that has not been put into the FIFO yet */
static struct {
    const uint8_t *next;
    size_t left;
    volatile bool done;
} output;

/* ---- interrupt ---- */

static bool take_input(void) {
    bool any = false;
    while ((UART0_FR & UART_FR_RXFE) == 0) {
        uint32_t entry = UART0_DR;
        uint8_t byte = (entry & UART_DR_ERRORS) != 0 ? CONSOLE_GARBAGE : (uint8_t)entry;
        if (rp2_console_takes(RP2_CONSOLE_UART)) {
            any = true;
            console_put(byte);
        }
    }
    return any;
}

/* Puts output into the transmit FIFO until the FIFO is full. Returns the number of bytes that it has put in. */
static size_t give_output(void) {
    size_t given = 0;
    while (output.left > 0 && (UART0_FR & UART_FR_TXFF) == 0) {
        UART0_DR = *output.next++;
        output.left--;
        given++;
    }
    return given;
}

/* Continues the output in the transmit interrupt. That interrupt comes only when the fill level of the FIFO falls
 * through TX_LEVEL, so another one comes only if the level is now above TX_LEVEL. Returns true, with the transmit
 * interrupt off, when all output is in the FIFO and another interrupt might not come. */
static bool continue_output(void) {
    UART0_ICR = UART_INT_TX;
    size_t given = give_output();
    if (output.left > 0 || given > 2U * TX_LEVEL) {
        return false;
    }
    UART0_IMSC = UART_INT_RX | UART_INT_RT;
    output.done = true;
    return true;
}

static void interrupt(void) {
    uint32_t status = UART0_MIS;
    bool wake = false;
    if ((status & (UART_INT_RX | UART_INT_RT)) != 0) {
        UART0_ICR = UART_INT_RT;
        wake = take_input();
    }
    if ((status & UART_INT_TX) != 0) {
        wake = continue_output() || wake;
    }
    if (wake) {
        console_wake_from_handler();
    }
}

/* ---- output ---- */

static void await_last_bit(void) {
    while ((UART0_FR & UART_FR_BUSY) != 0) {
    }
}

/* Sends all bytes. There is no interrupt for the last bit, so the function busy-waits while the rest of the FIFO, at
 * most 3 × TX_LEVEL bytes, is sent. */
void rp2_uart_write(const uint8_t *bytes, size_t size) {
    output.next = bytes;
    output.left = size;
    output.done = false;
    console_wait_begin();
    /* Fills the FIFO in one go, with interrupts masked, so that its fill level rises above TX_LEVEL and later falls
     * through TX_LEVEL, which raises the transmit interrupt. */
    uint32_t mask = portSET_INTERRUPT_MASK();
    (void)give_output();
    bool all = output.left == 0;
    if (!all) {
        UART0_ICR = UART_INT_TX;
        __dmb(); /* the UART interrupts core 0, and this task may be on core 1 */
        UART0_IMSC = UART_INT_RX | UART_INT_RT | UART_INT_TX;
    }
    portCLEAR_INTERRUPT_MASK(mask);
    while (!all && !output.done) {
        console_wait(portMAX_DELAY);
    }
    console_wait_end();
    await_last_bit();
}

void rp2_uart_write_raw(const char *bytes, size_t size) {
    UART0_IMSC = 0;
    for (size_t i = 0; i < size; i++) {
        while ((UART0_FR & UART_FR_TXFF) != 0) {
        }
        UART0_DR = (uint8_t)bytes[i];
    }
    await_last_bit();
}

/* ---- bit rate ---- */

/* The highest bit rate at which no input is lost while the receive interrupt is delayed by the longest possible time.
 * The characters that arrive in that time must fit into the RX_LEFT free entries of the receive FIFO; a character has
 * 10 bits. The lowest rate is offered in any case. */
static uint32_t highest_rate(void) { return CLOCKS_SYS_HZ / rp2_image_delay_cycles() * RX_LEFT * 10U; }

uint32_t rp2_uart_rate_choice(uint32_t index) {
    bool known = index < sizeof rates / sizeof rates[0];
    return known && (index == 0 || rates[index] <= highest_rate()) ? rates[index] : 0;
}

uint32_t rp2_uart_rate(void) { return rate; }

/* The divisor is clk_peri / (16 × rate), rounded to 64ths (DS 4.2.7.1). */
void rp2_uart_set_rate(uint32_t bits_per_second) {
    uint32_t divisor = (CLOCKS_SYS_HZ * 8U / bits_per_second + 1U) / 2U;
    rate = bits_per_second;
    UART0_CR = 0;
    UART0_IBRD = divisor / 64U;
    UART0_FBRD = divisor % 64U;
    UART0_LCR_H = 3U << 5U | 1U << 4U; /* 8 bits, FIFOs on; this write also latches the divisors */
    UART0_CR = 1U << 9U | 1U << 8U | 1U;
}

/* ---- start-up ---- */

void rp2_uart_start(void) {
    rp2_clocks_reset_blocks(RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_UART0);
    UART0_IFLS = IFLS_TX_EIGHTH | IFLS_RX_QUARTER;
    rp2_uart_set_rate(UART_RATE);
    CLEAR_BITS(PADS_GPIO1) = PADS_PDE; /* an open input pin must not read as a start bit */
    SET_BITS(PADS_GPIO1) = PADS_PUE;
    chip_select_pin(0, GPIO_FUNC_UART);
    chip_select_pin(1, GPIO_FUNC_UART);
}

void rp2_uart_listen(void) {
    irq_set_exclusive_handler(UART0_IRQ, interrupt);
    irq_set_priority(UART0_IRQ, 0xff); /* the kernel's priority, so that neither interrupts the other */
    irq_set_enabled(UART0_IRQ, true);
    UART0_IMSC = UART_INT_RX | UART_INT_RT;
}
