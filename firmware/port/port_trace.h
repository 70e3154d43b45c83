/* What a platform supplies that can record what its tasks do (core/trace.h), beside port.h; and what it records by
 * itself: its kernel's events, interrupts, and interrupts to other cores. A board that can says so by including
 * trace/trace.cmake. */
#ifndef PORT_TRACE_H
#define PORT_TRACE_H

#include <stdint.h>

/* Keeps everything else off the core that calls, handlers included, for some instructions; returns what
 * port_trace_unmask() puts back. From tasks and handlers, nested in each other or in critical sections. Meanwhile
 * port_core_id() is one and the same. */
uint32_t port_trace_mask(void);
void port_trace_unmask(uint32_t kept);

#endif
