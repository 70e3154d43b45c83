/* How a program that runs on this core starts, and how it ends. */
#ifndef STM32H745_BOARD_H
#define STM32H745_BOARD_H

#include <stdint.h>

/* Core 0: clocks, console, common clock, conditions, watchdog, and then the scheduler, whose console task is `console`.
 * Core 1: what it has of its own, and then its scheduler; it has no console. */
void board_run(void (*console)(void)) __attribute__((noreturn));

/* Supplied by each program: 0 is success. */
void board_end(uint32_t status) __attribute__((noreturn));

/* This core's SysTick handler: what the board has to do each kernel tick, and the kernel's own handler. */
void stm32h745_board_tick(void);

#endif
