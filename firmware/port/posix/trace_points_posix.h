/* Trace points of Linux's scheduler on the program's cores. They need a mounted tracefs, and root, or
 * kernel.perf_event_paranoid=-1 and read permission for tracefs. perf_event_open(2) keeps the last records of each core
 * in a ring, with the common clock. */
#ifndef TRACE_POINTS_POSIX_H
#define TRACE_POINTS_POSIX_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_POINTS_NAME_MAX 16U

enum trace_point {
    TRACE_POINT_SWITCH,     /* sched_switch: a core switches to another thread */
    TRACE_POINT_WAKING,     /* sched_waking: a thread is being woken on this core */
    TRACE_POINT_WAKING_NEW, /* sched_wakeup_new: a thread that has just been started is woken */
    TRACE_POINTS
};

/* The system's number of a thread, 0 of a core's idle one, and its zero-terminated name */
struct trace_point_thread {
    int id;
    char name[TRACE_POINTS_NAME_MAX];
};

struct trace_point_record {
    uint64_t time; /* common clock */
    enum trace_point point;
    struct trace_point_thread thread; /* the thread that is switched to, or that is woken; woken ones have no name
                                         here */
    struct trace_point_thread left;   /* only of a switch */
    bool runs_on;                     /* only of a switch: the previous thread was preempted */
    bool in_interrupt;                /* only of a wake-up */
};

/* Call it once, when the cores are known. Returns NULL if the trace points can be read, else the reason: the file or
 * the call, and the system's error. */
const char *trace_points_start(void);

/* Records between the two calls, and at no other time except by the next. */
void trace_points_begin(void);
void trace_points_end(void);

/* Switches the records of a core on or off, and returns their total number: to measure the cost of one. */
uint64_t trace_points_switch(uint32_t core, bool on);

/* Number of records of a core from begin to end, and how many of these can still exist at most */
uint32_t trace_points_count(uint32_t core);
uint32_t trace_points_room(void);

/* Copies the records of a core that still exist, the last first, at most `room`; returns their number. */
uint32_t trace_points_read(uint32_t core, struct trace_point_record *records, uint32_t room);

#endif
