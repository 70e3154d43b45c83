/* The main loop of port.h for a platform whose framework calls one function of the program repeatedly; loop_none.c is
 * for the others. */
#ifndef LOOP_H
#define LOOP_H

#include <stdint.h>

#include "port.h"

/* Makes the calling task the main loop: the task pinned to this core that calls port_loop_pass() repeatedly. Call it
 * before port_loop_start(); further calls do nothing. PORT_ERR_RESOURCE if there is no memory. */
enum port_error port_loop_open(void);

/* The owner of the main loop, as the condition `main_loop` */
const char *port_loop_text(void);

/* The body of the framework's function: a call of the benchmark that has the loop, else a wait. */
void port_loop_pass(void);

/* Supplied by the platform: gives the calling task the priority of a benchmark task, 1 to PORT_PRIORITY_MAX, and
 * returns the previous one, in the system's own scale, which the other function restores. */
uint32_t port_loop_raise(uint32_t priority);
void port_loop_lower(uint32_t before);

#endif
