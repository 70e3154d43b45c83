/* Possible bit rates of the USART (RM 51.5.8, "USART baud rate generation"). This code accesses no registers. */
#ifndef STM32H745_BAUD_H
#define STM32H745_BAUD_H

#include <stdint.h>

/* Value of USART_BRR for a bit rate, with 16 samples for each bit: kernel clock / rate, rounded. 0 if the rate is not
 * possible: the value would be below 16 or above 65535, or the rate would be off by more than BAUD_PERMILLE_OFF. The
 * errors of the two ends of a line may add up to about 40 ‰ (RM 51.5.9). */
#define BAUD_PERMILLE_OFF 10U
uint32_t stm32h745_baud_divisor(uint32_t kernel_hz, uint32_t bits_per_second);

/* The bit rate with this index among the bit rates that the USART's kernel clock permits, in ascending order; 0 beyond
 * the last one */
uint32_t stm32h745_baud_choice(uint32_t kernel_hz, uint32_t index);

#endif
