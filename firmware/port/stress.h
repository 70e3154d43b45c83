/* A stress test for any port. It uses everything in port.h at once, on all cores, until the other end of the console
 * stops it. Tasks are created and end, migrate from core to core (by themselves and by others, in any state), notify
 * each other, pass blocks of memory through semaphores, and write to the console from every core, while input comes in
 * at the full bit rate.
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

/* The expected input byte at this position, counted from 0. It is printable. The pattern repeats after a prime number
 * of bytes, so that the loss of a whole buffer is noticed. */
#define STRESS_INPUT(position) ((uint8_t)('!' + (position) % 89U))

/* Upper limit of the bit rate. The test runs at the port's highest bit rate up to this limit, from before the first
 * line. At twice this limit, the RP2040's input buffer (1 KiB) fills in 11 ms, and the start of a round can take that
 * long at -O0. */
#define STRESS_RATE_MAX 460800U

/* Call it from the console task. Returns NULL, or a description of the first failure. */
const char *stress_run(void);

/* ---- the platform must supply these, in addition to port.h ---- */

/* Allocates from the heap of the tasks; if tasks use no heap, from any heap. Several tasks may call it at the same
 * time. Returns NULL if there is not enough memory. */
void *stress_allocate(size_t bytes);
void stress_free(void *block);

/* Free bytes of that heap. A platform that cannot tell returns a constant. */
size_t stress_memory_free(void);

/* The least unused stack of any task so far, in words. A platform that cannot tell returns 0. */
uint32_t stress_stack_left(void);

#endif
