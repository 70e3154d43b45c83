/* The console has two lines, UART0 and USB. The one that speaks first is used: output
 * goes to the line of the last input, and to the UART before there is any. While a command is carried out, input of the
 * other line does not count, so that each answer ends where it began: what a UART receives is dropped, and USB holds it
 * back.
 *
 * USB interrupts come only while a task waits in a function of the console. So none falls into a measurement. Requests
 * of the host that come during one are answered when it next reports its progress, after which it begins a new
 * phase. */
#ifndef RP2_CONSOLE_H
#define RP2_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

enum rp2_console_line { RP2_CONSOLE_UART, RP2_CONSOLE_USB };

/* Configures both lines. */
void rp2_console_start(void);

/* Enables input. Call it on core 0, once the console task exists. */
void rp2_console_listen(void);

/* Whether input of a line counts now; if so, output goes there from now on. Called by the lines' interrupt handlers. */
bool rp2_console_takes(enum rp2_console_line line);

/* Returns the line that output goes to. */
enum rp2_console_line rp2_console_current(void);

/* Sends bytes on both lines without interrupts, for panic messages. Returns once they have been sent, or nobody takes
 * them. */
void rp2_console_write_raw(const char *bytes, size_t size);

#endif
