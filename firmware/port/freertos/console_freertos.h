/* The kernel's side of a board's interrupt-driven console: the received bytes for the reading task, and the task that
 * waits. port_console_read() is implemented here. */
#ifndef CONSOLE_FREERTOS_H
#define CONSOLE_FREERTOS_H

#include <stdint.h>

#include "port_freertos.h"

/* Stands in for a character that was received with an error, or for lost characters. It is not valid in a command, so
 * the whole line is rejected. */
#define CONSOLE_GARBAGE 0xffU

/* Stores a received byte. Called only by the board's interrupt handler. */
void console_put(uint8_t byte);

/* Wakes the waiting task, if there is one. The interrupt handler must call it last. */
void console_wake_from_handler(void);

/* A task waits with these functions. Between console_wait_begin() and console_wait_end(), the handler can wake the
 * task. console_wait() sleeps until the handler does so, or for `ticks`; it may return early. */
void console_wait_begin(void);
void console_wait(TickType_t ticks);
void console_wait_end(void);

#endif
