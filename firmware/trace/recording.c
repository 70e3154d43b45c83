/* Start and end of a recording, and the cost of recording an event */
#include "port.h"
#include "ring_trace.h"
#include "trace.h"

static struct {
    uint32_t costs[PORT_CORES_MAX][IC_TRACE_COSTS];
    bool armed;
    bool there;
    port_task_t task; /* static, because on a chip it may contain the task's stack */
} recording PORT_SHARED(trace_recording_state);

/* Measures the cost of recording an event: the time from one event to the next. It includes the test of
 * ic_trace_recording, as in the kernel's trace macros. The events have the kind IC_TRACE_REPETITION, which nothing else
 * records meanwhile. */
static void measure_cost(void *arg) {
    (void)arg;
    uint32_t core = port_core_id();
    for (uint32_t i = 0; i <= IC_TRACE_COSTS; i++) {
        ic_trace(IC_TRACE_REPETITION, 0, i);
    }
    uint32_t seen = 0;
    uint64_t before = 0;
    for (uint32_t number = 0; number < ic_trace_count(core) && seen <= IC_TRACE_COSTS; number++) {
        const struct ic_trace_event *event = ic_trace_event(core, number);
        if (event->what != IC_TRACE_REPETITION) {
            continue; /* an event of the kernel */
        }
        if (seen > 0) {
            recording.costs[core][seen - 1U] = (uint32_t)(event->time - before);
        }
        before = event->time;
        seen++;
    }
}
PORT_ENTRY(measure_cost);

static void empty_all(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        ic_trace_empty(core);
        ic_trace_forget_names(core);
    }
}

void ic_trace_arm(bool armed) { recording.armed = armed; }

bool ic_trace_begin(void) {
    if (!recording.armed) {
        return true;
    }
    for (uint32_t core = 0; core < port_core_count(); core++) {
        empty_all();
        struct port_task_config config = {.name = "recorder", .entry = measure_cost, .core = core, .priority = 1};
        ic_trace_recording = 1;
        bool started = port_task_start(&recording.task, &config) == PORT_OK;
        if (started) {
            port_task_join(&recording.task);
        }
        ic_trace_recording = 0;
        if (!started) {
            return false;
        }
    }
    empty_all();
    recording.there = true;
    ic_trace_recording = 1;
    return true;
}

void ic_trace_end(void) { ic_trace_recording = 0; }

bool ic_trace_there(void) { return recording.there; }

const uint32_t *ic_trace_costs(uint32_t core) { return recording.costs[core]; }
