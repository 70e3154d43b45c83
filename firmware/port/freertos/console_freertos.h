/* What a board's console by interrupts has to do with the kernel: the bytes that came, for the task that reads them
 * (port_console_read() is here), and the task that waits. */
#ifndef CONSOLE_FREERTOS_H
#define CONSOLE_FREERTOS_H

#include <stdint.h>

#include "port_freertos.h"

/* What stands for a character that was received with an error, or where some are missing: nothing that can stand in a
 * command, so that the line is refused. */
#define CONSOLE_GARBAGE 0xffU

/* Keeps a byte that came. By the board's interrupt handler alone. */
void console_put(uint8_t byte);

/* Wakes the task that waits, if there is one. By the handler, as the last that it does. */
void console_wake_from_handler(void);

/* By the task: between the first and the last, the handler wakes it; the second sleeps until then, or until some ticks
 * have passed. May return early. */
void console_wait_begin(void);
void console_wait(TickType_t ticks);
void console_wait_end(void);

#endif
