/* Start and end of the firmware on this core */
#ifndef STM32H745_BOARD_H
#define STM32H745_BOARD_H

#include <stdint.h>

/* On core 0: starts the clocks, the console, the common clock, the conditions and the watchdog, and then the scheduler
 * with `console` as the console task. On core 1, which has no console: starts the LED, the mark pin and the access to
 * the common clock, and then core 1's scheduler. */
void board_run(void (*console)(void)) __attribute__((noreturn));

/* Ends the firmware (main.c). A `status` of 0 means success. */
void board_end(uint32_t status) __attribute__((noreturn));

/* Handler of this core's SysTick, the kernel tick: saves the cycle count, blinks the LED, and calls the kernel's own
 * handler. */
void stm32h745_board_tick(void);

#endif
