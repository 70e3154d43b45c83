/* A stress test for any port. It uses port.h's tasks, notifications, semaphores, sleeps and console at once, on all
 * cores, until the other end of the console stops it. Tasks are created and end, are migrated from core to core (by
 * themselves and by other tasks, in any state), notify each other, pass blocks of memory through semaphores, and write
 * to the console from every core, while input comes in at the full bit rate.
 *
 * On the console, the program sends lines in the protocol's format, {"type":"state","line":17,…} *crc, whose `line`
 * numbers have no gaps. It checks each received byte against the pattern STRESS_INPUT. A line end (LF) ends the run. A
 * round takes about half a second and ends with a line "round": at that moment all tasks have ended, each side has
 * received what the other one sent, and all memory has been freed. */
#ifndef STRESS_H
#define STRESS_H

#include <stddef.h>
#include <stdint.h>

#include "port.h"

/* The input byte that the test expects at this position, counted from 0. It is printable. The pattern repeats after a
 * prime number of bytes, so that the loss of a whole buffer is noticed. */
#define STRESS_INPUT(position) ((uint8_t)('!' + (position) % 89U))

/* Upper limit of the bit rate. Before its first line, the test switches to the port's highest bit rate up to this
 * limit. At twice this limit, the RP2040's input buffer (1 KiB) fills in 11 ms, and the start of a round can take that
 * long at -O0. */
#define STRESS_RATE_MAX 460800U

/* Call it from the console task. Returns NULL, or a description of the first failure. */
const char *stress_run(void);

/* ---- the platform must supply these, in addition to port.h ---- */

/* Allocates from the heap that provides the tasks' stacks; if no heap does, from any heap. Several tasks may call it at
 * the same time. Returns NULL if there is not enough memory. */
void *stress_allocate(size_t bytes);
void stress_free(void *block);

/* Free bytes of the heap that stress_allocate() uses. A platform that cannot tell returns a constant. */
size_t stress_memory_free(void);

/* The least stack that any task has left unused so far, in words. A platform that cannot tell returns 0. */
uint32_t stress_stack_left(void);

#endif
