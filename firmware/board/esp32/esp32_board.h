/* Interface between the files of this board. esp32_instruments.h is the interface of the files that measure. */
#ifndef ESP32_BOARD_H
#define ESP32_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "intercore.h"

/* ---- console.c ---- */

/* The console that the project's configuration selects (console_uart.c, console_usb.c) */
const struct intercore_console *esp32_console_default(void);

/* Connects the console functions of port.h to a console. Returns false if that console is not available. */
bool esp32_console_open(const struct intercore_console *console);
void esp32_console_close(void);

/* Closes the console for its readers: a blocked read returns within 100 ms; that read and all later ones return
 * PORT_ERR_CLOSED. */
void esp32_console_hang_up(void);

/* Value of the condition `console` */
const char *esp32_console_name(void);

/* ---- conditions.c ---- */

/* Reads the chip's properties for port_condition(). Call it in each session (from intercore_start() to
 * intercore_stop()), before port_condition(). */
void esp32_conditions_start(void);

/* ---- frequency.c ---- */

/* The first function prevents power management from changing the cores' clock and from entering light sleep, and keeps
 * RISC-V cores awake. The second permits all of that again. Call the first before anything reads the clock's rate. */
void esp32_frequency_hold(void);
void esp32_frequency_release(void);

/* Value of the condition `clock.frequency` */
const char *esp32_frequency_text(void);

/* ---- watchdog.c ---- */

/* The first function sets the task watchdog to 60 s and makes it only warn. The second restores the project's
 * configuration. */
void esp32_watchdog_start_session(void);
void esp32_watchdog_end_session(void);

/* Value of the condition `watchdog` */
const char *esp32_watchdog_text(void);

/* ---- program_*.c: exactly one of these files is built ---- */

/* The console task's body. It returns when esp32_console_hang_up() was called, or when the program has ended. */
void esp32_program(void);

#endif
