/* Wrappers for functions that benchmarks call (traced_calls.h): they record the calls. */
#include "traced_calls.h"

#include "trace.h"

bool ic_trace_repeat(struct ic_run *run) {
    bool begun = ic_run_repeat(run);
    if (begun) {
        ic_trace(IC_TRACE_REPETITION, 0, run->checks.done);
    }
    return begun;
}

void ic_trace_sample(struct ic_run *run, struct ic_series *series, int64_t ticks) {
    uint32_t number = 0;
    while (ic_samples_series(number) != series) {
        number++;
    }
    ic_trace(IC_TRACE_SAMPLE, number, (uint32_t)ticks);
    ic_run_sample(run, series, ticks);
}

/* Records that this core wants the lock, but does not test whether the core must wait: the test would slow down an
 * uncontended lock. If another core owns the lock, the events of that core show it. */
void ic_trace_spinlock_lock(port_spinlock_t *lock) {
    ic_trace(IC_TRACE_AWAITED, IC_TRACE_SPINLOCK, (uint32_t)(uintptr_t)lock);
    port_spinlock_lock(lock);
    ic_trace(IC_TRACE_TAKEN, IC_TRACE_SPINLOCK, (uint32_t)(uintptr_t)lock);
}

void ic_trace_spinlock_unlock(port_spinlock_t *lock) {
    port_spinlock_unlock(lock);
    ic_trace(IC_TRACE_GIVEN, IC_TRACE_SPINLOCK, (uint32_t)(uintptr_t)lock);
}
