#include "timestamp_overhead.h"

#include "port.h"

static struct {
    struct ic_run *run;
    struct ic_series *series;
    port_task_t task; /* on a chip it may hold the task's whole stack */
} looker PORT_SHARED(looking);

static void look(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < IC_TIMESTAMP_OVERHEAD_PAIRS; i++) {
        uint64_t start = port_clock();
        uint64_t end = port_clock();
        ic_run_sample(looker.run, looker.series, (int64_t)(end - start));
    }
}
PORT_ENTRY(look);

static void look_at_counter(void *arg) {
    (void)arg;
    for (uint32_t i = 0; i < IC_TIMESTAMP_OVERHEAD_PAIRS; i++) {
        uint64_t start = port_cycles();
        uint64_t end = port_cycles();
        ic_run_sample(looker.run, looker.series, (int64_t)(end - start));
    }
}
PORT_ENTRY(look_at_counter);

bool ic_timestamp_overhead_measure(struct ic_run *run) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        looker.run = run;
        looker.series = ic_samples_open("timestamp_overhead", core, IC_TIMESTAMP_OVERHEAD_PAIRS);
        if (looker.series == NULL) {
            return ic_error_set(&run->error, "out-of-range", "the target has no memory for the cost of ", "timestamp_overhead",
                                "");
        }
        looker.series->clock = run->clock;
        struct port_task_config config = {.name = "timestamp_overhead",
                                          .entry = run->clock == IC_CLOCK_COMMON ? look : look_at_counter,
                                          .core = core,
                                          .priority = 1};
        if (port_task_start(&looker.task, &config) != PORT_OK) {
            return ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
        }
        port_task_join(&looker.task);
    }
    return true;
}
