/* The watchdog: IWDG1, which resets the whole chip, with both cores (RM table 56).
 *
 * The handler of core 0's kernel tick feeds it while both kernels tick (port_amp.h, board_alive()). So the chip is
 * reset if a core masks its interrupts for ever, or locks up: if core 1 fails, core 0 notices it and panics, which
 * resets the chip at once; if core 0 fails, the watchdog resets the chip within WATCHDOG_PERIOD_MS. The watchdog pauses
 * while a debugger halts core 0. */
#ifndef STM32H745_WATCHDOG_H
#define STM32H745_WATCHDOG_H

/* The watchdog's period: 4096 periods of its clock, which is LSI (nominally 32 kHz) divided by 64. */
#define WATCHDOG_PERIOD_MS 8192
#define WATCHDOG_TEXT "IWDG1, 8192 ms nominally; fed by core 0's tick while both kernels tick"

/* Starts the watchdog, which cannot be stopped again. */
void stm32h745_watchdog_start(void);

void stm32h745_watchdog_feed(void);

#endif
