/* Names of tasks and of marks: each core has a list of those that it has met, so that no core waits for another. */
#include <string.h>

#include "intercore_trace.h"
#include "port.h"
#include "port_trace.h"
#include "ring_trace.h"
#include "trace.h"

/* A name's number has 8 bits, so a core beyond these gives none. */
#define LISTS_MAX (IC_TRACE_NAMELESS / IC_TRACE_NAMES)
#define LISTS (PORT_CORES_MAX < LISTS_MAX ? PORT_CORES_MAX : LISTS_MAX)

static struct {
    uint32_t count;
    char texts[IC_TRACE_NAMES][IC_TRACE_NAME_MAX];
} names[LISTS] PORT_SHARED(trace_names);

static uint32_t tasks[PORT_CORES_MAX] PORT_SHARED(trace_tasks); /* that were ever numbered */

uint32_t ic_trace_name_number(const char *text) {
    uint32_t core = port_core_id();
    if (core >= LISTS) {
        return IC_TRACE_NAMELESS;
    }
    uint32_t index = 0;
    while (index < names[core].count && strncmp(names[core].texts[index], text, IC_TRACE_NAME_MAX - 1U) != 0) {
        index++;
    }
    if (index == IC_TRACE_NAMES) {
        return IC_TRACE_NAMELESS;
    }
    if (index == names[core].count) {
        strncpy(names[core].texts[index], text, IC_TRACE_NAME_MAX - 1U);
        names[core].count++;
    }
    return core * IC_TRACE_NAMES + index;
}

uint32_t ic_trace_task(const char *name) {
    uint32_t core = port_core_id();
    uint32_t number = ++tasks[core] * PORT_CORES_MAX + core;
    return ic_trace_name_number(name) << 24U | (number & UINT32_MAX >> 8U);
}

const char *ic_trace_name(uint32_t core, uint32_t index) {
    return core < LISTS && index < names[core].count ? names[core].texts[index] : NULL;
}

void intercore_mark(const char *text) {
    if (ic_trace_recording == 0U) {
        return;
    }
    uint32_t kept = port_trace_mask();
    uint32_t number = ic_trace_name_number(text);
    ic_trace(IC_TRACE_MARK, 0, number);
    port_trace_unmask(kept);
}
