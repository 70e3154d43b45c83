/* The console: USART3 on PD8 (output) and PD9 (input), which the ST-LINK of a NUCLEO-H745ZI-Q has as its virtual COM
 * port (UM2408); 8 data bits, no parity, 1 stop bit.
 *
 * Both directions go by interrupt, on core 0, and the console task sleeps meanwhile. Nothing is sent, and no transmit
 * interrupt comes, except inside port_console_write(). */
#ifndef STM32H745_UART_H
#define STM32H745_UART_H

#include <stddef.h>
#include <stdint.h>

/* Bits per second after a reset. */
#define UART_RATE 115200

/* Sets pins and USART up, for the present clock of the APB buses. */
void stm32h745_uart_start(void);

/* Lets input come in. To be called on core 0, once a console task exists. */
void stm32h745_uart_listen(void);

/* USART3's handler, on core 0. */
void stm32h745_uart_interrupt(void);

/* Sends bytes without interrupts, on either core, for when there is no system any more. Returns when the last has left.
 */
void stm32h745_uart_write_raw(const char *bytes, size_t size);

#endif
