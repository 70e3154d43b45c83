/* The console's UART: UART0 on GP0 (output) and GP1 (input), 8 data bits, no parity, 1 stop bit.
 *
 * Both directions use interrupts on core 0, while the console task sleeps. Output and transmit interrupts occur only
 * inside rp2_uart_write(). */
#ifndef RP2_UART_H
#define RP2_UART_H

#include <stddef.h>
#include <stdint.h>

/* Bits per second after a reset. */
#define UART_RATE 115200

/* Configures pins and UART. */
void rp2_uart_start(void);

/* Enables input. Call it on core 0, once the console task exists. */
void rp2_uart_listen(void);

/* Do what port_console_write(), port_console_rate_choice(), port_console_rate() and port_console_set_rate() do. */
void rp2_uart_write(const uint8_t *bytes, size_t size);
uint32_t rp2_uart_rate_choice(uint32_t index);
uint32_t rp2_uart_rate(void);
void rp2_uart_set_rate(uint32_t bits_per_second);

/* Sends bytes without interrupts, for panic messages. Returns once the last byte has been sent. */
void rp2_uart_write_raw(const char *bytes, size_t size);

#endif
