/* What the event recorder (core/trace.h) needs from a platform in addition to port.h. The platform also records the
 * events of its kernel, its interrupts, and the interrupts that one core sends to another. A board that can record
 * includes trace/trace.cmake. */
#ifndef PORT_TRACE_H
#define PORT_TRACE_H

#include <stdint.h>

/* Masks all interrupts of the calling core, for a few instructions. Returns the state that port_trace_unmask() needs.
 * May be called in tasks, in handlers and inside critical sections; calls may be nested. port_core_id() returns the
 * same core until the interrupts are unmasked. */
uint32_t port_trace_mask(void);
void port_trace_unmask(uint32_t kept);

#endif
