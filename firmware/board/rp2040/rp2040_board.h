/* Start and end of a program on this board */
#ifndef RP2040_BOARD_H
#define RP2040_BOARD_H

#include <stdint.h>

/* A function that is in SRAM even if the code is in flash, for exact timing: a fetch from flash that misses the cache
 * takes 44 cycles and more. */
#define BOARD_IN_SRAM(name) __attribute__((noinline, section(".sram_code." #name)))

/* Starts clock, console, conditions and watchdog, and then the scheduler, whose console task is `console`. */
void board_run(void (*console)(void)) __attribute__((noreturn));

/* Supplied by each program. In intercore-target, which runs without a debugger: stops until the watchdog restarts the
 * program, or makes it do so at once. In the test programs (rp2040_test_end.c): the semihosting call SYS_EXIT_EXTENDED,
 * for the simulator or a debugger; without one, the core locks up. 0 is success. */
void board_end(uint32_t status) __attribute__((noreturn));

#endif
