/* Platform interface for the recorder (core/trace.h), in addition to port.h. The platform also records its kernel's
 * events, interrupts, and interrupts to other cores. A board that supports it includes trace/trace.cmake. */
#ifndef PORT_TRACE_H
#define PORT_TRACE_H

#include <stdint.h>

/* Masks all interrupts of the calling core, for some instructions; returns the state that port_trace_unmask() restores.
 * From tasks and handlers; may nest, also in critical sections. port_core_id() does not change in between. */
uint32_t port_trace_mask(void);
void port_trace_unmask(uint32_t kept);

#endif
