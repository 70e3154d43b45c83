/* Starting the board up, for the programs that run on it. */
#ifndef RP2040_BOARD_H
#define RP2040_BOARD_H

/* Clock, console, conditions and watchdog, and then the scheduler, whose console task is `console`. */
void board_run(void (*console)(void)) __attribute__((noreturn));

#endif
