/* The recorder: what each core did and when, on the common clock, for the desk to show (docs/trace.md).
 *
 * Each core has a ring of IC_TRACE events in RAM, a power of two, and is the only one that writes to it: no lock, and
 * no core waits for another. A full ring goes on over its oldest events; how many there ever were is known, so that it
 * is known how many are missing, and that they are the first. The rings are filled while `record` measures, and stand
 * still at all other times.
 *
 * It is compiled in by -DIC_TRACE=1024, and without that not there at all: then what this header has is nothing. Events
 * come from the kernel by its own macros, from the board for interrupts, from a benchmark's calls (trace/traced.h: the
 * benchmarks know nothing of it) and from a program's marks (intercore_trace.h). */
#ifndef IC_TRACE_H
#define IC_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* What happened; the numbers are those of docs/protocol.md. `object` and `detail` are said behind each. A task is the
 * number that ic_trace_task() gave it. */
enum ic_trace_kind {
    IC_TRACE_CREATED = 1,        /* task */
    IC_TRACE_DELETED = 2,        /* task */
    IC_TRACE_IN = 3,             /* task; the core goes on with it; detail 1: it was seen there, and had come before */
    IC_TRACE_OUT = 4,            /* task; detail 1: it could have run on */
    IC_TRACE_READY = 5,          /* task; made so by what the core is at */
    IC_TRACE_DELAYED = 6,        /* task; waits for time */
    IC_TRACE_SUSPENDED = 7,      /* task */
    IC_TRACE_RESUMED = 8,        /* task */
    IC_TRACE_INHERITED = 9,      /* task; detail: the priority that it is lent */
    IC_TRACE_GIVEN = 10,         /* object given, sent to or set; detail: ic_trace_class */
    IC_TRACE_TAKEN = 11,         /* object taken or received from; likewise */
    IC_TRACE_AWAITED = 12,       /* object that the task has to wait for; likewise */
    IC_TRACE_INTERRUPT_IN = 13,  /* number of the interrupt; detail: ic_trace_cause */
    IC_TRACE_INTERRUPT_OUT = 14, /* likewise */
    IC_TRACE_RUNG = 15,          /* core; an interrupt was sent to it */
    IC_TRACE_TICK = 16,          /* the kernel's count of ticks before this one */
    IC_TRACE_READ = 17,          /* 0; the benchmark's reading of the common clock, exactly; detail: how many came
                                    before it, one right after the other, that are left out */
    IC_TRACE_COUNTED = 18,       /* low 32 bits of a reading of the core's own counter; detail: likewise */
    IC_TRACE_REPETITION = 19,    /* its number, from 1; begins */
    IC_TRACE_SAMPLE = 20,        /* low 32 bits of a sample; detail: number of its series, from 0 */
    IC_TRACE_MARK = 21,          /* number of the name that a program gave the moment */
    IC_TRACE_SENT = 22,          /* number of a message that is about to be sent; detail: its bytes; IC_TRACE_LINK */
    IC_TRACE_RECEIVED = 23,      /* likewise; it has been received */
    IC_TRACE_DUE = 24,           /* low 32 bits of the moment, on the common clock, up to which the task will wait */
};

/* What is given, taken and awaited. */
enum ic_trace_class {
    IC_TRACE_NOTIFICATION = 0, /* the object is the task that is notified */
    IC_TRACE_SEMAPHORE = 1,
    IC_TRACE_MUTEX = 2,
    IC_TRACE_QUEUE = 3,
    IC_TRACE_STREAM = 4,
    IC_TRACE_EVENTS = 5,
    IC_TRACE_SPINLOCK = 6,
};

/* Of a message of the link between two kernels, the topmost bit of the number is set; the next has the core that it
 * goes to. Its detail is what is ordered. Of all others, the number counts those of a transport since it was opened. */
#define IC_TRACE_LINK(core, number)                                                                                    \
    (UINT32_C(1) << 31U | (uint32_t)(core) << 30U | ((uint32_t)(number) & UINT32_MAX >> 2U))

/* What an interrupt is. */
enum ic_trace_cause {
    IC_TRACE_OTHER = 0,
    IC_TRACE_OF_TICK = 1,  /* the kernel's tick */
    IC_TRACE_OF_TIMER = 2, /* port_timer_set() */
    IC_TRACE_OF_CORE = 3,  /* another core's */
};

#ifdef IC_TRACE

#define IC_TRACE_NAMES 24U
#define IC_TRACE_NAME_MAX 16U
/* Number of a name for which there was no room. */
#define IC_TRACE_NAMELESS 255U
/* How often a core measures what recording an event costs. */
#define IC_TRACE_COSTS 16U

struct ic_trace_event {
    uint64_t time; /* common clock */
    uint32_t what; /* kind in the low 8 bits, detail in the others */
    uint32_t object;
};

/* Whether events are recorded now. */
extern volatile uint32_t ic_trace_recording;

/* Puts an event into the ring of the core that calls, from tasks and handlers. */
void ic_trace_put(uint32_t what, uint32_t object);

/* The same where it need not be recorded: so much is the cost of each place while nothing is recorded. */
static inline void ic_trace(enum ic_trace_kind kind, uint32_t detail, uint32_t object) {
    if (ic_trace_recording != 0U) {
        ic_trace_put((uint32_t)kind | detail << 8U, object);
    }
}

/* Reads a clock and puts the reading in. Of those that follow each other on a core with nothing between, as in a loop
 * that lets time pass, the first is kept and the last two. */
uint64_t ic_trace_clock(void);
uint64_t ic_trace_cycles(void);

/* Number of a new task: that of its name in the upper 8 bits, below a number that no other task has. To be called with
 * nothing else on this core able to come between. */
uint32_t ic_trace_task(const char *name);

/* ---- for who measures ---- */

/* Whether the next measurement is to be recorded. */
void ic_trace_arm(bool armed);

/* Begins the recording if it is to be, with empty rings, having measured on each core what an event costs; ends it.
 * False if a core's task could not be started. */
bool ic_trace_begin(void);
void ic_trace_end(void);

/* ---- for who sends it ---- */

/* Whether something has been recorded. */
bool ic_trace_there(void);

/* Events that there ever were; those that are there are the last, from ic_trace_first() on, at most IC_TRACE. */
uint32_t ic_trace_count(uint32_t core);
uint32_t ic_trace_first(uint32_t core);

/* The event with that number, one of those that are there. */
const struct ic_trace_event *ic_trace_event(uint32_t core, uint32_t number);

/* Ticks of the common clock from one event to the next where nothing else is done, IC_TRACE_COSTS of them. */
const uint32_t *ic_trace_costs(uint32_t core);

/* What a record of the system's scheduler cost, where a platform adds such to its own events; 0 if there are none, or
 * it is not known. */
uint32_t ic_trace_others_cost(uint32_t core);

/* The name with that index, below IC_TRACE_NAMES; NULL if the core gave it to none. */
const char *ic_trace_name(uint32_t core, uint32_t index);

#else

/* No function: at -O0 it would be called. */
#define ic_trace(kind, detail, object) ((void)0)

static inline bool ic_trace_begin(void) { return true; }
static inline void ic_trace_end(void) {}

#endif
#endif
