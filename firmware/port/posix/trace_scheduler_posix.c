#include "trace_scheduler_posix.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port.h"
#include "ring_trace.h"
#include "trace.h"
#include "trace_cost_posix.h"
#include "trace_points_posix.h"
#include "trace_posix.h"

/* Number of the program's newest threads whose task numbers are kept: more than a ring buffer has events */
#define TASKS_MAX (2U * (uint32_t)IC_TRACE)
/* Number of other programs' threads that get a task number of their own. All further threads share one task number. */
#define STRANGERS_MAX 128U
/* Most events that one record yields: an interrupt begins, a task becomes ready, the interrupt ends. */
#define EVENTS_OF_RECORD 3U

static const char *why_not = "the trace points were not looked for";

static struct {
    atomic_int thread;
    atomic_uint task;
} tasks[TASKS_MAX];
static atomic_uint task_count;

static struct {
    int thread;
    uint32_t task;
} strangers[STRANGERS_MAX];
static uint32_t stranger_count;
static uint32_t all_other_strangers; /* the task number that they share; 0 until there is one */

static uint32_t costs[PORT_CORES_MAX]; /* cost of a record on each core; 0 if unknown */

/* Trace points use the thread numbers of the system's first PID namespace; in another namespace gettid() returns
 * different numbers. /proc/self/ns/pid has this inode number in the first namespace (PROC_PID_INIT_INO in Linux's
 * include/linux/proc_ns.h). */
#define FIRST_NAMESPACE 0xEFFFFFFCU

static bool has_numbers_of_its_own(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != FIRST_NAMESPACE;
}

void trace_scheduler_start(void) {
    why_not = trace_points_start();
    if (why_not == NULL && has_numbers_of_its_own()) {
        why_not = "the program is in a PID namespace, where threads have other numbers than there";
    }
}

bool trace_scheduler_is_seen(void) { return why_not == NULL; }

const char *trace_scheduler_why_not(void) { return why_not; }

void trace_scheduler_know(uint32_t task) {
    uint32_t place = atomic_fetch_add(&task_count, 1U) % TASKS_MAX;
    atomic_store(&tasks[place].task, task);
    atomic_store(&tasks[place].thread, (int)gettid());
}

/* ---- threads ---- */

/* The task of a thread; 0 if the thread is not one of the program's. If the system has used a thread number twice, the
 * number belongs to the newer thread. */
static uint32_t own_task(int thread) {
    uint32_t count = atomic_load(&task_count);
    for (uint32_t back = 1; back <= count && back <= TASKS_MAX; back++) {
        uint32_t place = (count - back) % TASKS_MAX;
        if (atomic_load(&tasks[place].thread) == thread) {
            return atomic_load(&tasks[place].task);
        }
    }
    return 0;
}

static uint32_t stranger(const struct trace_point_thread *thread) {
    for (uint32_t i = 0; i < stranger_count; i++) {
        if (strangers[i].thread == thread->id) {
            return strangers[i].task;
        }
    }
    if (stranger_count < STRANGERS_MAX) {
        strangers[stranger_count].thread = thread->id;
        strangers[stranger_count].task = ic_trace_stranger(thread->name);
        return strangers[stranger_count++].task;
    }
    if (all_other_strangers == 0) {
        all_other_strangers = ic_trace_stranger("others");
    }
    return all_other_strangers;
}

static uint32_t task_of(const struct trace_point_thread *thread) {
    uint32_t task = own_task(thread->id);
    return task != 0 ? task : stranger(thread);
}

/* ---- events of records ---- */

struct events {
    struct ic_trace_event *first;
    uint32_t count;
};

static void add(struct events *events, uint64_t time, enum ic_trace_kind kind, uint32_t detail, uint32_t object) {
    events->first[events->count++] = (struct ic_trace_event){time, (uint32_t)kind | detail << 8U, object};
}

/* A core's idle thread is not a task: while it runs, no task has the core. */
static void add_switch(struct events *events, const struct trace_point_record *record) {
    if (record->left.id != 0) {
        add(events, record->time, IC_TRACE_OUT, record->runs_on, task_of(&record->left));
    }
    if (record->thread.id != 0) {
        add(events, record->time, IC_TRACE_IN, 0, task_of(&record->thread));
    }
}

/* If a benchmark's thread is woken in an interrupt, it is the interrupt of a system timer: no other interrupt wakes
 * such a thread. */
static void add_waking(struct events *events, const struct trace_point_record *record) {
    uint32_t task = own_task(record->thread.id);
    if (task == 0) {
        return;
    }
    if (record->in_interrupt) {
        add(events, record->time, IC_TRACE_INTERRUPT_IN, IC_TRACE_OF_TIMER, 0);
    }
    add(events, record->time, IC_TRACE_READY, 0, task);
    if (record->in_interrupt) {
        add(events, record->time, IC_TRACE_INTERRUPT_OUT, IC_TRACE_OF_TIMER, 0);
    }
}

static void add_all(struct events *events, const struct trace_point_record *records, uint32_t count) {
    for (uint32_t left = count; left > 0; left--) { /* the newest record came first */
        const struct trace_point_record *record = &records[left - 1U];
        if (record->point == TRACE_POINT_SWITCH) {
            add_switch(events, record);
        } else {
            add_waking(events, record);
        }
    }
}

/* ---- merging ---- */

/* The events of one core, merged from its ring buffer and from the scheduler's records */
struct joined {
    struct events events;
    uint32_t task; /* the core's task; 0: none, or unknown */
};

/* Adds an event. `author` is the task that caused it, 0 if the event comes from a scheduler record.
 *
 * Linux sometimes loses records; for some threads it loses all records of leaving a core. So a task may run although no
 * record shows that it got the core. The task's own next event, or the record that it leaves the core, reveals that it
 * was running. Then IC_TRACE_IN with detail 1 is inserted. */
static void join(struct joined *joined, const struct ic_trace_event *event, uint32_t author) {
    enum ic_trace_kind kind = event->what & 0xffU;
    uint32_t there = kind == IC_TRACE_OUT ? event->object : author;
    if (there != 0 && there != joined->task) {
        add(&joined->events, event->time, IC_TRACE_IN, 1, there);
        joined->task = there;
    }
    uint32_t what = event->what;
    if (kind == IC_TRACE_IN && joined->task != 0) {
        what |= 1U << 8U; /* the task before it was not seen to leave */
    }
    joined->events.first[joined->events.count++] = (struct ic_trace_event){event->time, what, event->object};
    joined->task = kind == IC_TRACE_IN ? event->object : kind == IC_TRACE_OUT ? 0 : joined->task;
}

/* Merges all events by time; of events at the same moment, those of the ring buffer come last. Skips the events before
 * `since`, and returns their number. */
static uint32_t join_all(struct joined *joined, uint32_t core, const struct events *records, uint64_t since) {
    uint32_t own = ic_trace_first(core), end = ic_trace_count(core), record = 0, left_out = 0;
    while (own < end || record < records->count) {
        bool is_own =
            record == records->count || (own < end && ic_trace_event(core, own)->time < records->first[record].time);
        uint32_t author = is_own ? trace_posix_author(core, own) : 0;
        const struct ic_trace_event *next = is_own ? ic_trace_event(core, own++) : &records->first[record++];
        if (next->time >= since) {
            join(joined, next, author);
        } else {
            left_out++;
        }
    }
    return left_out;
}

/* Returns the first moment from which both the core's ring buffer and the scheduler's records are complete. */
static uint64_t whole_since(uint32_t core, const struct trace_point_record *oldest, uint32_t missing) {
    uint64_t own = ic_trace_first(core) > 0 ? ic_trace_event(core, ic_trace_first(core))->time : 0;
    uint64_t others = missing == 0 ? 0 : oldest == NULL ? UINT64_MAX : oldest->time;
    return own > others ? own : others;
}

/* Merges the events of a core. Each missing record counts as one missing event. If there is no memory for the merged
 * events, the ring buffer stays empty and all of them count as missing: the ring buffer's own events alone would hide
 * the switches of the core. */
static void join_core(uint32_t core) {
    uint32_t counted = trace_points_count(core);
    uint32_t room = counted < trace_points_room() ? counted : trace_points_room();
    struct trace_point_record *records = calloc(room + 1U, sizeof *records);
    struct ic_trace_event *both = calloc((size_t)3U * EVENTS_OF_RECORD * room + (size_t)2U * IC_TRACE, sizeof *both);
    if (records == NULL || both == NULL) {
        ic_trace_fill(core, NULL, 0, ic_trace_count(core) + counted);
    } else {
        uint32_t count = trace_points_read(core, records, room);
        struct events others = {both, 0};
        add_all(&others, records, count);
        const struct trace_point_record *oldest = count > 0 ? &records[count - 1U] : NULL;
        uint32_t missing = ic_trace_first(core) + counted - count;
        struct joined joined = {{both + others.count, 0}, 0};
        missing += join_all(&joined, core, &others, whole_since(core, oldest, counted - count));
        ic_trace_fill(core, joined.events.first, joined.events.count, missing);
    }
    ic_trace_set_others_cost(core, costs[core]);
    free(records);
    free(both);
}

static void measure_costs(void) {
    ic_trace_recording = 0;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        costs[core] = trace_cost_of_record(core);
    }
    ic_trace_recording = 1;
}

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,misc-use-internal-linkage): the linker's names
bool __real_ic_trace_begin(void);
void __real_ic_trace_end(void);
bool __wrap_ic_trace_begin(void);
void __wrap_ic_trace_end(void);

bool __wrap_ic_trace_begin(void) {
    bool begun = __real_ic_trace_begin();
    if (ic_trace_recording != 0U && trace_scheduler_is_seen()) {
        stranger_count = 0;
        all_other_strangers = 0;
        measure_costs();
        trace_points_begin();
    }
    return begun;
}

void __wrap_ic_trace_end(void) {
    bool recorded = ic_trace_recording != 0U;
    __real_ic_trace_end();
    if (recorded && trace_scheduler_is_seen()) {
        trace_points_end();
        trace_posix_for_each_core(join_core);
    }
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,misc-use-internal-linkage)
