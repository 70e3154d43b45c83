/* Kernel side of a board's interrupt-driven console: received bytes for the reading task (port_console_read() is here),
 * and the waiting task. */
#ifndef CONSOLE_FREERTOS_H
#define CONSOLE_FREERTOS_H

#include <stdint.h>

#include "port_freertos.h"

/* Stands for a character received with an error, or for missing ones: not valid in a command, so that the line is
 * refused */
#define CONSOLE_GARBAGE 0xffU

/* Stores a received byte. Called by the board's interrupt handler only. */
void console_put(uint8_t byte);

/* Wakes the waiting task, if any. Called by the handler, last. */
void console_wake_from_handler(void);

/* Called by the task: between the first and the last, the handler wakes it; the second sleeps until then, or for some
 * ticks. It may return early. */
void console_wait_begin(void);
void console_wait(TickType_t ticks);
void console_wait_end(void);

#endif
