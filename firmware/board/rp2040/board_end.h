/* How the program ends. */
#ifndef RP2040_BOARD_END_H
#define RP2040_BOARD_END_H

#include <stdint.h>

/* Supplied by each program. In intercore-target, which no debugger need be attached to: stands still until the watchdog
 * starts the program again, or has it do so at once. In the test programs (test_end.c): the semihosting call
 * SYS_EXIT_EXTENDED, for the simulator or a debugger; without one, the core locks up. 0 is success. */
void board_end(uint32_t status) __attribute__((noreturn));

#endif
