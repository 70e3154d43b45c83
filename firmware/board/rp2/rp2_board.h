/* Start and end of the firmware's programs (benchmarks or tests) on this board */
#ifndef RP2_BOARD_H
#define RP2_BOARD_H

#include <stdint.h>

/* Puts a function into SRAM even if other code is in flash, for exact timing: a fetch from flash that misses the cache
 * takes 44 cycles or more. */
#define BOARD_IN_SRAM(name) __attribute__((noinline, section(".sram_code." #name)))

/* Starts the clock, the console, the conditions and the watchdog, and then the scheduler with `console` as the console
 * task. */
void board_run(void (*console)(void)) __attribute__((noreturn));

/* Ends the program; supplied by each program. A `status` of 0 is success. The benchmark program (intercore-target),
 * which runs without a debugger, stops until the watchdog restarts it (board rp2040), or makes the watchdog restart it
 * at once (rp2040_amp). The test programs (rp2_test_end.c) make the semihosting call SYS_EXIT_EXTENDED, for the
 * simulator or a debugger; without a simulator or debugger, this call locks up the core. */
void board_end(uint32_t status) __attribute__((noreturn));

#endif
