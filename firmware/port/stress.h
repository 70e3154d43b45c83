/* A stress test of any port: everything in port.h at once, on all cores, for as long as the other end of the console
 * wants. Tasks are created and ended, migrate from core to core (by themselves and by others, in any state), notify
 * each other, pass blocks of memory through semaphores, and write to the console from every core, while input comes in
 * at the full bit rate.
 *
 * On the console: the program sends lines like the protocol's, {"type":"state","line":17,…} *crc, numbered by `line`
 * without gaps, and checks each received byte against the pattern STRESS_INPUT; a line end (LF) ends the run. Each
 * round of about half a second ends with a line "round": all tasks have then ended, the counts of both sides are equal,
 * and all memory has been freed. */
#ifndef STRESS_H
#define STRESS_H

#include <stddef.h>
#include <stdint.h>

#include "port.h"

/* The expected input byte at this position, counted from 0: printable, with a prime period, so that the loss of a whole
 * buffer is detected */
#define STRESS_INPUT(position) ((uint8_t)('!' + (position) % 89U))

/* Upper limit of the bit rate of the run, which is the port's highest choice up to it, from before the first line. At
 * twice as much, the RP2040's input buffer (1 KiB) fills in 11 ms, which the start of a round can take at -O0. */
#define STRESS_RATE_MAX 460800U

/* Call it from the console task. Returns NULL, or a description of the first failure. */
const char *stress_run(void);

/* ---- supplied by the platform, in addition to port.h ---- */

/* The heap for tasks, or any if tasks use none. Several tasks may call it at a time; NULL if there is not enough. */
void *stress_allocate(size_t bytes);
void stress_free(void *block);

/* Bytes free in that heap; constant if a platform cannot tell */
size_t stress_memory_free(void);

/* Least unused stack of any task so far, in words; 0 if a platform cannot tell */
uint32_t stress_stack_left(void);

#endif
