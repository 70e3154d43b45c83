#include "measure.h"

#include "port.h"
#include "timestamp_overhead.h"
#include "trace.h"

static bool begin_recording(struct ic_run *run) {
    return ic_trace_begin() ||
           ic_error_set(&run->error, "failed", "the recorder's task could not be started on every core", "", "");
}

bool ic_measure(struct ic_run *run) {
    if (!ic_run_possible(run, &run->error)) {
        return false;
    }
    ic_run_begin(run);
    uint32_t recovered_doorbells = port_recovered_doorbells();
    bool measured = ic_timestamp_overhead_measure(run) && begin_recording(run) && run->benchmark->measure(run);
    ic_trace_end();
    port_mark(false); /* still high if the benchmark failed during its repetitions */
    run->checks.recovered_doorbells = port_recovered_doorbells() - recovered_doorbells;
    return measured;
}
