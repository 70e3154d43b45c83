/* The port that the recorder is linked with for its tests: which core calls, and what the clock reads, are given. */
#include "port.h"
#include "port_trace.h"

uint32_t given_core;
uint64_t given_time;
uint32_t seen_masks; /* that have not been put back */

uint32_t port_core_count(void) { return 2; }
uint32_t port_core_id(void) { return given_core; }
uint64_t port_clock(void) { return given_time; }
uint64_t port_cycles(void) { return given_time + 1000; }
uint32_t port_trace_mask(void) { return seen_masks++; }
void port_trace_unmask(uint32_t kept) { seen_masks = kept; }

/* A task runs in the call that starts it, on the core that it is for; each look at the clock costs it 5. */
enum port_error port_task_start(port_task_t *task, const struct port_task_config *config) {
    task->unused = 0;
    given_core = config->core;
    config->entry(config->arg);
    return PORT_OK;
}

void port_task_join(port_task_t *task) { (void)task; }
