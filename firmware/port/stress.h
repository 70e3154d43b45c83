/* A stress run of any port: everything that port.h promises, all at once, on all cores, for as long as the other end of
 * the console likes. Tasks are made and ended, moved from core to core (by themselves and by others, in the middle of
 * whatever they do), notify each other, pass blocks of memory through semaphores, and write to the console from every
 * core, while input comes in at the full rate of the line.
 *
 * On the console: the program sends lines as the protocol's, {"type":"state","line":17,…} *crc, numbered by `line`
 * without gaps, and checks each received byte against the pattern STRESS_INPUT; a line end (LF) ends the run. Each
 * round of about half a second ends with a line "round": then all tasks have ended, what was counted on both sides is
 * equal, and all memory has been given back. */
#ifndef STRESS_H
#define STRESS_H

#include <stddef.h>
#include <stdint.h>

#include "port.h"

/* The byte that input must have at this position, counted from 0: printable, and with a prime period, so that no loss
 * of a whole buffer looks right. */
#define STRESS_INPUT(position) ((uint8_t)('!' + (position) % 89U))

/* The bit rate of the run: the highest choice of the port's that is not above this, from before the first line on.
 * Twice as much fills the RP2040's input buffer (1 KiB) in 11 ms, which at -O0 the start of a round can take. */
#define STRESS_RATE_MAX 460800U

/* To be called from the console task. Returns NULL if all went well, otherwise the first thing that did not. */
const char *stress_run(void);

/* ---- what the platform supplies for this besides port.h ---- */

/* The heap that tasks are made from, or any if they are made from none. May be called by several tasks at a time; NULL
 * if there is not enough. */
void *stress_allocate(size_t bytes);
void stress_free(void *block);

/* Bytes free in that heap; always the same where a platform cannot tell. */
size_t stress_memory_free(void);

/* Fewest words of stack that any task has had left so far, 0 where a platform cannot tell. */
uint32_t stress_stack_left(void);

#endif
