/* Linux' trace points of its scheduler on the program's cores. tracefs has to be mounted, and they may be read by root,
 * or under kernel.perf_event_paranoid=-1 by everybody who may read tracefs. perf_event_open(2) keeps what they tell, in
 * a ring for each core whose last records stay, with the common clock. */
#ifndef TRACE_POINTS_POSIX_H
#define TRACE_POINTS_POSIX_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_POINTS_NAME_MAX 16U

enum trace_point {
    TRACE_POINT_SWITCH,     /* sched_switch: a core goes on with another thread */
    TRACE_POINT_WAKING,     /* sched_waking: a thread is being woken, by what the core is at */
    TRACE_POINT_WAKING_NEW, /* sched_wakeup_new: likewise, a thread that has just been started */
    TRACE_POINTS
};

/* The system's number of a thread, 0 of a core's idle one, and its name, which ends with a 0. */
struct trace_point_thread {
    int id;
    char name[TRACE_POINTS_NAME_MAX];
};

struct trace_point_record {
    uint64_t time; /* common clock */
    enum trace_point point;
    struct trace_point_thread thread; /* the one that comes, or that is woken; woken ones have no name here */
    struct trace_point_thread left;   /* only of a switch */
    bool runs_on;                     /* only of a switch: who left could have run on */
    bool in_interrupt;                /* only of a waking */
};

/* To be called once, when the cores are known. Returns NULL if the trace points may be read, else why not: the file or
 * the call, and what the system says of it. */
const char *trace_points_start(void);

/* From here to there they are recorded, and not at other times, save by the next. */
void trace_points_begin(void);
void trace_points_end(void);

/* Switches those of a core on or off, and returns how many there ever were of it: to find out what one costs. */
uint64_t trace_points_switch(uint32_t core, bool on);

/* How many there were on a core from begin to end, and how many of these can still be there at most. */
uint32_t trace_points_count(uint32_t core);
uint32_t trace_points_room(void);

/* Copies those of a core that are still there, the last first, at most `room`; returns how many. */
uint32_t trace_points_read(uint32_t core, struct trace_point_record *records, uint32_t room);

#endif
