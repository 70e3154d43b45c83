/* Names of tasks and of users' marks in a recording. Each core has its own list, so that no core waits for another
 * core. The names of the program's own tasks are permanent. All other names are removed when the next recording
 * begins. */
#include <stdbool.h>
#include <string.h>

#include "intercore_trace.h"
#include "port.h"
#include "port_trace.h"
#include "ring_trace.h"
#include "trace.h"

/* The number of a name, core * IC_TRACE_NAMES + index, has 8 bits. So only the first LISTS_MAX cores have a list. */
#define LISTS_MAX (IC_TRACE_NAMELESS / IC_TRACE_NAMES)
#define LISTS (PORT_CORES_MAX < LISTS_MAX ? PORT_CORES_MAX : LISTS_MAX)

/* Bit `index` of `given`: texts[index] is in use. Bit `index` of `stays`: that name is permanent. */
static struct list {
    uint32_t given;
    uint32_t stays;
    char texts[IC_TRACE_NAMES][IC_TRACE_NAME_MAX];
} names[LISTS] PORT_SHARED(trace_names);
_Static_assert(IC_TRACE_NAMES <= 32, "a bit for each");

static uint32_t tasks[PORT_CORES_MAX] PORT_SHARED(trace_tasks); /* how many tasks each core has numbered so far */

static bool has(const struct list *list, uint32_t index) { return (list->given >> index & 1U) != 0; }

/* Returns the index of the name `text` or, if the list lacks the name, of a free entry; IC_TRACE_NAMES if the list is
 * full. */
static uint32_t place_of(const struct list *list, const char *text) {
    uint32_t free = IC_TRACE_NAMES;
    for (uint32_t index = IC_TRACE_NAMES; index-- > 0;) {
        if (!has(list, index)) {
            free = index;
        } else if (strncmp(list->texts[index], text, IC_TRACE_NAME_MAX - 1U) == 0) {
            return index;
        }
    }
    return free;
}

uint32_t ic_trace_name_number(const char *text, bool stays) {
    uint32_t core = port_core_id();
    if (core >= LISTS) {
        return IC_TRACE_NAMELESS;
    }
    struct list *list = &names[core];
    uint32_t index = place_of(list, text);
    if (index == IC_TRACE_NAMES) {
        return IC_TRACE_NAMELESS;
    }
    if (!has(list, index)) {
        strncpy(list->texts[index], text, IC_TRACE_NAME_MAX - 1U);
        list->given |= 1U << index;
    }
    list->stays |= (stays ? 1U : 0U) << index;
    return core * IC_TRACE_NAMES + index;
}

void ic_trace_forget_names(uint32_t core) {
    if (core < LISTS) {
        names[core].given = names[core].stays;
    }
}

static uint32_t new_task(const char *name, bool stays) {
    uint32_t core = port_core_id();
    uint32_t number = ++tasks[core] * PORT_CORES_MAX + core;
    return ic_trace_name_number(name, stays) << 24U | (number & UINT32_MAX >> 8U);
}

uint32_t ic_trace_task(const char *name) { return new_task(name, true); }

uint32_t ic_trace_stranger(const char *name) { return new_task(name, false); }

const char *ic_trace_name(uint32_t core, uint32_t index) {
    return core < LISTS && has(&names[core], index) ? names[core].texts[index] : NULL;
}

void intercore_mark(const char *text) {
    if (ic_trace_recording == 0U) {
        return;
    }
    uint32_t kept = port_trace_mask();
    uint32_t number = ic_trace_name_number(text, false);
    ic_trace(IC_TRACE_MARK, 0, number);
    port_trace_unmask(kept);
}
