/* The console: UART0 on GP0 (output) and GP1 (input), 8 data bits, no parity, 1 stop bit.
 *
 * Both directions go by interrupt, on core 0, and the console task sleeps meanwhile. Nothing is sent, and no transmit
 * interrupt comes, except inside port_console_write(). */
#ifndef RP2040_UART_H
#define RP2040_UART_H

#include <stddef.h>
#include <stdint.h>

/* Bits per second after a reset. */
#define UART_RATE 115200

/* Sets pins and UART up. */
void rp2040_uart_start(void);

/* Lets input come in. To be called on core 0, once a console task exists. */
void rp2040_uart_listen(void);

/* Sends bytes without interrupts, for when there is no system any more. Returns when the last has left. */
void rp2040_uart_write_raw(const char *bytes, size_t size);

#endif
