/* Interface between the files of this board; esp32_instruments.h has those that measure. */
#ifndef ESP32_BOARD_H
#define ESP32_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "intercore.h"

/* ---- console.c ---- */

/* The console of the project's configuration (console_uart.c, console_usb.c) */
const struct intercore_console *esp32_console_default(void);

/* Connects port_console_…() to a console. False if it is not available. */
bool esp32_console_open(const struct intercore_console *console);
void esp32_console_close(void);

/* Ends a waiting read, within 100 ms, and all later ones: PORT_ERR_CLOSED. */
void esp32_console_hang_up(void);

/* The condition `console` */
const char *esp32_console_name(void);

/* ---- conditions.c ---- */

/* Reads the chip's description. Call it in each session, before port_condition(). */
void esp32_conditions_start(void);

/* ---- frequency.c ---- */

/* Prevents power management from changing the cores' clock, and from light sleep, and keeps RISC-V cores awake; permits
 * it again. Call it before anything reads the clock's rate. */
void esp32_frequency_hold(void);
void esp32_frequency_release(void);

/* The condition `clock.frequency` */
const char *esp32_frequency_text(void);

/* ---- watchdog.c ---- */

/* Sets the task watchdog to 60 s, and to warn only; restores the project's configuration. */
void esp32_watchdog_start_session(void);
void esp32_watchdog_end_session(void);

/* The condition `watchdog` */
const char *esp32_watchdog_text(void);

/* ---- program_….c: one of them ---- */

/* The console task's body. Returns when the console has been hung up, or the program has ended. */
void esp32_program(void);

#endif
