/* Start and end of a program on this core */
#ifndef STM32H745_BOARD_H
#define STM32H745_BOARD_H

#include <stdint.h>

/* Core 0: starts clocks, console, common clock, conditions, watchdog, and then the scheduler, whose console task is
 * `console`. Core 1: its own resources, and then its scheduler; it has no console. */
void board_run(void (*console)(void)) __attribute__((noreturn));

/* Supplied by each program; 0 is success */
void board_end(uint32_t status) __attribute__((noreturn));

/* This core's SysTick handler: the board's work at each kernel tick, and the kernel's own handler */
void stm32h745_board_tick(void);

#endif
