#include "timestamp_overhead.h"

#include "port.h"

static struct {
    struct ic_run *run;
    struct ic_series *series;
    port_task_t task; /* static, because on a chip it may contain the task's stack */
} state PORT_SHARED(timestamp_overhead);

static void time_clock_pairs(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < IC_TIMESTAMP_OVERHEAD_PAIRS; i++) {
        uint64_t start = port_clock();
        uint64_t end = port_clock();
        ic_run_sample(state.run, state.series, (int64_t)(end - start));
    }
}
PORT_ENTRY(time_clock_pairs);

static void time_counter_pairs(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < IC_TIMESTAMP_OVERHEAD_PAIRS; i++) {
        uint64_t start = port_cycles();
        uint64_t end = port_cycles();
        ic_run_sample(state.run, state.series, (int64_t)(end - start));
    }
}
PORT_ENTRY(time_counter_pairs);

bool ic_timestamp_overhead_measure(struct ic_run *run) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        state.run = run;
        state.series = ic_samples_open("timestamp_overhead", core, IC_TIMESTAMP_OVERHEAD_PAIRS);
        if (state.series == NULL) {
            return ic_error_set(&run->error, "out-of-range", "the target has no memory for ", "timestamp_overhead", "");
        }
        state.series->clock = run->clock;
        struct port_task_config config = {.name = "overhead",
                                          .entry =
                                              run->clock == IC_CLOCK_COMMON ? time_clock_pairs : time_counter_pairs,
                                          .core = core,
                                          .priority = 1};
        if (port_task_start(&state.task, &config) != PORT_OK) {
            return ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
        }
        port_task_join(&state.task);
    }
    return true;
}
