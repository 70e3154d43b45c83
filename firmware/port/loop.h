/* The main loop of port.h, for a platform whose framework calls one function repeatedly, like Arduino's loop(). Other
 * platforms use loop_none.c. */
#ifndef LOOP_H
#define LOOP_H

#include <stdint.h>

#include "port.h"

/* Declares that the calling task runs the main loop. Must be called before port_loop_start(); repeated calls do
 * nothing. The task must be pinned to its core, and must then call port_loop_pass() repeatedly. Returns
 * PORT_ERR_RESOURCE if there is no memory. */
enum port_error port_loop_open(void);

/* Returns who owns the main loop: the value of the condition `main_loop` in the target's report */
const char *port_loop_text(void);

/* The body of the framework's function. Calls the body of the benchmark that has taken over the loop, or waits until
 * one does. */
void port_loop_pass(void);

/* Supplied by the platform. The first function gives the calling task the priority of a benchmark task, 1 to
 * PORT_PRIORITY_MAX, and returns its previous priority in the system's own scale. The second restores that priority. */
uint32_t port_loop_raise(uint32_t priority);
void port_loop_lower(uint32_t before);

#endif
