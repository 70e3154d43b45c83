/* The trace recorder keeps the events of each core, such as context switches and interrupts, with their times on the
 * common clock. The host displays them (docs/trace.md).
 *
 * Each core has a ring buffer of IC_TRACE events in RAM; IC_TRACE is a power of two. A core is the only writer of its
 * own ring, so there are no locks, and no core waits for another. A full ring overwrites its oldest events; a count of
 * all events shows how many are missing. The rings are filled while the command `record` measures, and do not change at
 * other times.
 *
 * The recorder is compiled in with -DIC_TRACE=1024; without it, the calls that remain do nothing. Events come from the
 * kernel's trace macros, from the board for interrupts, from a benchmark's calls (trace/traced.h redirects them, so
 * that the benchmark need not change) and from the marks in a user's code (intercore_trace.h). */
#ifndef IC_TRACE_H
#define IC_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of events, numbered as in docs/protocol.md. Each comment states what `object` is and, where it is used, what
 * `detail` is. A task is given as its number from ic_trace_task(). */
enum ic_trace_kind {
    IC_TRACE_CREATED = 1,        /* task */
    IC_TRACE_DELETED = 2,        /* task */
    IC_TRACE_IN = 3,             /* task that the core switches to; detail 1: seen running, the switch was earlier */
    IC_TRACE_OUT = 4,            /* task that the core switches away from; detail 1: it is still ready */
    IC_TRACE_READY = 5,          /* task, made ready on this core */
    IC_TRACE_DELAYED = 6,        /* task, waits for time */
    IC_TRACE_SUSPENDED = 7,      /* task */
    IC_TRACE_RESUMED = 8,        /* task */
    IC_TRACE_INHERITED = 9,      /* task; detail: its inherited priority */
    IC_TRACE_GIVEN = 10,         /* object given, sent to or set; detail: ic_trace_class */
    IC_TRACE_TAKEN = 11,         /* object taken or received from; detail: ic_trace_class */
    IC_TRACE_AWAITED = 12,       /* object that the task waits for; detail: ic_trace_class */
    IC_TRACE_INTERRUPT_IN = 13,  /* number of the interrupt; detail: ic_trace_cause */
    IC_TRACE_INTERRUPT_OUT = 14, /* number of the interrupt; detail: ic_trace_cause */
    IC_TRACE_RUNG = 15,          /* core to which this core sends an interrupt */
    IC_TRACE_TICK = 16,          /* the kernel's count of ticks before this tick */
    IC_TRACE_READ = 17,          /* 0; the common clock was read at exactly this time; detail: readings left out */
    IC_TRACE_COUNTED = 18,       /* low 32 bits of a reading of the core's own counter; detail: as IC_TRACE_READ */
    IC_TRACE_REPETITION = 19,    /* number of the repetition that begins, from 1 */
    IC_TRACE_SAMPLE = 20,        /* low 32 bits of a sample; detail: index of its series */
    IC_TRACE_MARK = 21,          /* number of the name that a program gave to intercore_mark() */
    IC_TRACE_SENT = 22,          /* number of a message about to be sent; detail: its bytes, or see IC_TRACE_LINK */
    IC_TRACE_RECEIVED = 23,      /* number of a received message; detail: its bytes, or see IC_TRACE_LINK */
    IC_TRACE_DUE = 24,           /* low 32 bits of the moment, on the common clock, until which the task will wait */
};

/* Classes of kernel objects that tasks give, take and wait for */
enum ic_trace_class {
    IC_TRACE_NOTIFICATION = 0, /* the object is the notified task */
    IC_TRACE_SEMAPHORE = 1,
    IC_TRACE_MUTEX = 2,
    IC_TRACE_QUEUE = 3,
    IC_TRACE_STREAM = 4,
    IC_TRACE_EVENTS = 5,
    IC_TRACE_SPINLOCK = 6,
};

/* `object` of IC_TRACE_SENT and IC_TRACE_RECEIVED for a command from one kernel to the other (port/freertos_amp): the
 * topmost bit is set, the next bit is the destination core, and the other bits number the commands; the detail is the
 * command. Without the topmost bit, `object` is the number of a message of a transport, counted from 0 since the
 * transport was opened. */
#define IC_TRACE_LINK(core, number)                                                                                    \
    (UINT32_C(1) << 31U | (uint32_t)(core) << 30U | ((uint32_t)(number) & UINT32_MAX >> 2U))

/* Causes of an interrupt */
enum ic_trace_cause {
    IC_TRACE_OTHER = 0,
    IC_TRACE_OF_TICK = 1,  /* the kernel's tick */
    IC_TRACE_OF_TIMER = 2, /* port_timer_set() */
    IC_TRACE_OF_CORE = 3,  /* another core */
};

#ifdef IC_TRACE

#define IC_TRACE_NAMES 24U
#define IC_TRACE_NAME_MAX 16U
/* Number that stands for every name for which there was no room */
#define IC_TRACE_NAMELESS 255U
/* How many times the cost of recording an event is measured on each core */
#define IC_TRACE_COSTS 16U

struct ic_trace_event {
    uint64_t time; /* common clock */
    uint32_t what; /* kind in the low 8 bits, detail in the others */
    uint32_t object;
};

/* Whether events are being recorded */
extern volatile uint32_t ic_trace_recording;

/* Puts an event into the ring of the calling core. Tasks and interrupt handlers may call it. */
void ic_trace_put(uint32_t what, uint32_t object);

/* Like ic_trace_put(), but only while events are being recorded. At other times the call costs only this test. */
static inline void ic_trace(enum ic_trace_kind kind, uint32_t detail, uint32_t object) {
    if (ic_trace_recording != 0U) {
        ic_trace_put((uint32_t)kind | detail << 8U, object);
    }
}

/* Read the common clock, or this core's counter, and record the reading. If a core reads clocks repeatedly without
 * another event in between, as in a polling loop, only the first reading and the last two are kept. */
uint64_t ic_trace_clock(void);
uint64_t ic_trace_cycles(void);

/* Returns a number for a new task, by which its events refer to it: the number of its name in the upper 8 bits, and a
 * number in the lower bits that no other task has. Call it with interrupts and preemption off on this core. */
uint32_t ic_trace_task(const char *name);

/* ---- for the measurement ---- */

/* Sets whether trace events are recorded during the next measurement. */
void ic_trace_arm(bool armed);

/* ic_trace_begin() begins a recording if one was requested: it measures the cost of an event on each core, and then
 * empties the rings. It returns false if the task that measures this cost could not be started on every core.
 * ic_trace_end() ends the recording. */
bool ic_trace_begin(void);
void ic_trace_end(void);

/* ---- for sending ---- */

/* Whether there is a recording to send */
bool ic_trace_there(void);

/* ic_trace_count() returns how many events a core has recorded. The ring holds only the latest, at most IC_TRACE
 * events, from event number ic_trace_first() on. */
uint32_t ic_trace_count(uint32_t core);
uint32_t ic_trace_first(uint32_t core);

/* Returns the event with that number, from ic_trace_first() on. */
const struct ic_trace_event *ic_trace_event(uint32_t core, uint32_t number);

/* Returns IC_TRACE_COSTS measurements of the cost of recording an event: times between back-to-back events, in ticks of
 * the common clock. */
const uint32_t *ic_trace_costs(uint32_t core);

/* Returns the cost, in ticks of the common clock, of an event that the operating system's scheduler records; 0 if there
 * are no such events or their cost is unknown. */
uint32_t ic_trace_others_cost(uint32_t core);

/* Returns the name with that index, below IC_TRACE_NAMES; NULL if unused. */
const char *ic_trace_name(uint32_t core, uint32_t index);

#else

/* A macro, because at -O0 the compiler would not remove the call of an empty function. */
#define ic_trace(kind, detail, object) ((void)0)

static inline bool ic_trace_begin(void) { return true; }
static inline void ic_trace_end(void) {}

#endif
#endif
