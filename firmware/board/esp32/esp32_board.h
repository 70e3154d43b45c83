/* What the files of this board have from each other. Those that measure are in esp32_instruments.h. */
#ifndef ESP32_BOARD_H
#define ESP32_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "intercore.h"

/* ---- console.c ---- */

/* The console of the project's configuration (console_uart.c, console_usb.c). */
const struct intercore_console *esp32_console_default(void);

/* Lets port_console_…() talk over a console. False if it cannot be had. */
bool esp32_console_open(const struct intercore_console *console);
void esp32_console_close(void);

/* Ends a read that waits, within 100 ms, and all later ones: PORT_ERR_CLOSED. */
void esp32_console_hang_up(void);

/* The condition `console`. */
const char *esp32_console_name(void);

/* ---- conditions.c ---- */

/* Finds out what the chip says of itself. To be called in each session, before port_condition(). */
void esp32_conditions_start(void);

/* ---- frequency.c ---- */

/* Keeps power management from changing the cores' clock, and from light sleep, and RISC-V cores awake; lets it again.
 * To be called before anything asks for the clock's rate. */
void esp32_frequency_hold(void);
void esp32_frequency_release(void);

/* The condition `clock.frequency`. */
const char *esp32_frequency_text(void);

/* ---- watchdog.c ---- */

/* Lets the task watchdog wait for 60 s and only warn; sets it back to what the project's configuration says. */
void esp32_watchdog_start_session(void);
void esp32_watchdog_end_session(void);

/* The condition `watchdog`. */
const char *esp32_watchdog_text(void);

/* ---- program_….c: one of them ---- */

/* What the console task does. Returns when the console has been hung up, or the program is over. */
void esp32_program(void);

#endif
