/* What stands in place of a benchmark's calls (traced.h): each does what the call does, and records it. */
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

/* A transport that does what the one with that index does, and records what it sends and receives. There is one:
 * another index makes another of it. */
const struct ic_transport *ic_trace_transport(uint32_t index);

#endif
