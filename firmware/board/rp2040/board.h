/* Starting the board up, for the programs that run on it. */
#ifndef RP2040_BOARD_H
#define RP2040_BOARD_H

/* A function that is in SRAM even if the code is in flash: because something has to happen within some cycles of
 * something else, and a fetch from flash that misses the cache takes 44 and more. */
#define BOARD_IN_SRAM(name) __attribute__((noinline, section(".sram_code." #name)))

/* Clock, console, conditions and watchdog, and then the scheduler, whose console task is `console`. */
void board_run(void (*console)(void)) __attribute__((noreturn));

#endif
