/* In a program with the event recorder, the compiler's option -include puts this file in front of each benchmark's
 * source (trace.cmake). The macros redirect the benchmark's calls to wrappers that record them, without a change of the
 * source. */
#ifndef TRACED_H
#define TRACED_H

#include "trace.h"
#include "traced_calls.h"

#define port_clock() ic_trace_clock()
#define port_cycles() ic_trace_cycles()
#define ic_run_repeat(run) ic_trace_repeat(run)
#define ic_run_sample(run, series, ticks) ic_trace_sample(run, series, ticks)
#define port_spinlock_lock(lock) ic_trace_spinlock_lock(lock)
#define port_spinlock_unlock(lock) ic_trace_spinlock_unlock(lock)
#define port_transport(index) ic_trace_transport(index)

#endif
