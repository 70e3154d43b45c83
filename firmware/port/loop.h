/* The main loop of port.h for a platform whose framework calls one function of the program over and over; loop_none.c
 * is for the others. */
#ifndef LOOP_H
#define LOOP_H

#include <stdint.h>

#include "port.h"

/* Makes the calling task the main loop: the one that is pinned to this core and calls port_loop_pass() over and over.
 * To be called before port_loop_start() can be; again it does nothing. PORT_ERR_RESOURCE if there is no memory. */
enum port_error port_loop_open(void);

/* Whose the main loop is, as the condition `main_loop`. */
const char *port_loop_text(void);

/* What a call of the framework's function does: a pass of the benchmark that has the loop, or, while none has it,
 * waiting. */
void port_loop_pass(void);

/* Supplied by the platform: gives the calling task the priority of a benchmark task, 1 to PORT_PRIORITY_MAX, and
 * returns what it had, in the system's own count, for the other to put back. */
uint32_t port_loop_raise(uint32_t priority);
void port_loop_lower(uint32_t before);

#endif
