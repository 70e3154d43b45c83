/* How a program that runs on this board starts, and how it ends. */
#ifndef RP2040_BOARD_H
#define RP2040_BOARD_H

#include <stdint.h>

/* A function that is in SRAM even if the code is in flash: because something has to happen within some cycles of
 * something else, and a fetch from flash that misses the cache takes 44 and more. */
#define BOARD_IN_SRAM(name) __attribute__((noinline, section(".sram_code." #name)))

/* Clock, console, conditions and watchdog, and then the scheduler, whose console task is `console`. */
void board_run(void (*console)(void)) __attribute__((noreturn));

/* Supplied by each program. In intercore-target, which no debugger need be attached to: stands still until the watchdog
 * starts the program again, or has it do so at once. In the test programs (rp2040_test_end.c): the semihosting call
 * SYS_EXIT_EXTENDED, for the simulator or a debugger; without one, the core locks up. 0 is success. */
void board_end(uint32_t status) __attribute__((noreturn));

#endif
