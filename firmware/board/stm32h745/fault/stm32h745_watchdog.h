/* The watchdog: IWDG1, which resets the whole chip, both cores (RM table 56).
 *
 * Core 0's tick feeds it while both kernels tick (port_amp.h, board_alive()). So a core that has masked its interrupts
 * for good, or is locked up, causes a reset: at once by a panic of core 0 if it is core 1, within WATCHDOG_PERIOD_MS if
 * it is core 0. It stops while a debugger halts core 0. */
#ifndef STM32H745_WATCHDOG_H
#define STM32H745_WATCHDOG_H

/* 4096 periods of LSI, nominally 32 kHz, divided by 64. */
#define WATCHDOG_PERIOD_MS 8192
#define WATCHDOG_TEXT "IWDG1, 8192 ms nominally; fed by core 0's tick while both kernels tick"

/* Arms it, permanently. */
void stm32h745_watchdog_start(void);

void stm32h745_watchdog_feed(void);

#endif
