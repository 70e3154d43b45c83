/* Wrappers for functions that benchmarks call (traced.h): each calls the original function, and records the call. */
#ifndef TRACED_CALLS_H
#define TRACED_CALLS_H

#include "port.h"
#include "port_lock.h"
#include "run.h"
#include "transport.h"

bool ic_trace_repeat(struct ic_run *run);
void ic_trace_sample(struct ic_run *run, struct ic_series *series, int64_t ticks);
void ic_trace_spinlock_lock(port_spinlock_t *lock);
void ic_trace_spinlock_unlock(port_spinlock_t *lock);

/* Returns a transport that does the same as the transport with that index, and records its messages. There is only one
 * such transport: a call with another index replaces it. */
const struct ic_transport *ic_trace_transport(uint32_t index);

#endif
