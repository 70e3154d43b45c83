/* Possible bit rates of the USART (RM 51.5.8, "USART baud rate generation"). Pure arithmetic. */
#ifndef STM32H745_BAUD_H
#define STM32H745_BAUD_H

#include <stdint.h>

/* USART_BRR for a rate with 16 samples a bit: kernel clock / rate, rounded. 0 if impossible: below 16, above 65535, or
 * more than BAUD_PERMILLE_OFF off. Both ends of a line together may be off by about 40 ‰ (RM 51.5.9). */
#define BAUD_PERMILLE_OFF 10U
uint32_t stm32h745_baud_divisor(uint32_t kernel_hz, uint32_t bits_per_second);

/* The rate with this index among those that the kernel clock allows, ascending; 0 beyond the last */
uint32_t stm32h745_baud_choice(uint32_t kernel_hz, uint32_t index);

#endif
