/* The part of a board's interrupt-driven console that uses the kernel: a ring buffer of received bytes, and the wake-up
 * of the task that waits for input or output */
#ifndef CONSOLE_FREERTOS_H
#define CONSOLE_FREERTOS_H

#include <stdint.h>

#include "port_freertos.h"

/* Takes the place of a character that was received with an error, or of lost characters. This byte is not valid in a
 * command, so the whole line is rejected. */
#define CONSOLE_GARBAGE 0xffU

/* Stores a received byte. Called only by the board's interrupt handlers, of which none interrupts another. */
void console_put(uint8_t byte);

/* Number of bytes that console_put() can store without a loss. It only grows while no handler stores any. */
uint32_t console_room(void);

/* What port_console_read() does, if nothing else is to be done for it */
enum port_error console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline);

/* Wakes the task that waits for the console, if there is one. The interrupt handler must call it last. */
void console_wake_from_handler(void);

/* With these functions a task waits for the console. Between console_wait_begin() and console_wait_end(), the interrupt
 * handler can wake the task. console_wait() sleeps until the handler does so, or for `ticks`; it may return early. */
void console_wait_begin(void);
void console_wait(TickType_t ticks);
void console_wait_end(void);

#endif
