/* The console: USART3 on PD8 (output) and PD9 (input), the virtual COM port of the ST-LINK on a NUCLEO-H745ZI-Q
 * (UM2408); 8 data bits, no parity, 1 stop bit.
 *
 * Both directions use interrupts, on core 0, and the console task sleeps in the meantime. Output, and transmit
 * interrupts, occur only inside port_console_write(). */
#ifndef STM32H745_UART_H
#define STM32H745_UART_H

#include <stddef.h>
#include <stdint.h>

/* Bits per second after a reset. */
#define UART_RATE 115200

/* Configures pins and USART, for the present clock of the APB buses. */
void stm32h745_uart_start(void);

/* Enables input. Call it on core 0, once a console task exists. */
void stm32h745_uart_listen(void);

/* USART3's handler, on core 0 */
void stm32h745_uart_interrupt(void);

/* Sends bytes without interrupts, on either core, for a failed system. Returns when the last has left. */
void stm32h745_uart_write_raw(const char *bytes, size_t size);

#endif
