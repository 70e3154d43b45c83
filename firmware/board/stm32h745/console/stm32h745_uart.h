/* The console: USART3 on PD8 (output) and PD9 (input), which is the virtual COM port of the ST-LINK on a
 * NUCLEO-H745ZI-Q (UM2408); 8 data bits, no parity, 1 stop bit.
 *
 * Both directions use interrupts on core 0, while the console task sleeps. Output and transmit interrupts occur only
 * inside port_console_write(). */
#ifndef STM32H745_UART_H
#define STM32H745_UART_H

#include <stddef.h>
#include <stdint.h>

/* Bits per second after a reset. */
#define UART_RATE 115200

/* Configures the pins and the USART for the current clock of the APB buses. */
void stm32h745_uart_start(void);

/* Enables input. Call it on core 0, once the console task exists. */
void stm32h745_uart_listen(void);

/* USART3's handler, on core 0 */
void stm32h745_uart_interrupt(void);

/* Sends bytes without interrupts, for panic messages; works on either core. Returns when the last byte has been
 * sent. */
void stm32h745_uart_write_raw(const char *bytes, size_t size);

#endif
