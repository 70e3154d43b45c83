/* How the program ends. */
#ifndef STM32H745_BOARD_END_H
#define STM32H745_BOARD_END_H

#include <stdint.h>

/* Supplied by each program: 0 is success. */
void board_end(uint32_t status) __attribute__((noreturn));

#endif
