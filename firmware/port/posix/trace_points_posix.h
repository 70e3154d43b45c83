/* Trace points of Linux's scheduler on the program's cores. Reading them requires a mounted tracefs and root; or,
 * without root, kernel.perf_event_paranoid=-1 and read permission for tracefs. perf_event_open(2) keeps the newest
 * records of each core in a ring buffer, with readings of the common clock. */
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

/* A thread: its number in the system, 0 for a core's idle thread, and its zero-terminated name */
struct trace_point_thread {
    int id;
    char name[TRACE_POINTS_NAME_MAX];
};

struct trace_point_record {
    uint64_t time; /* common clock */
    enum trace_point point;
    struct trace_point_thread thread; /* the thread that is switched to, or that is woken; a woken thread has no name
                                         here */
    struct trace_point_thread left;   /* only for a switch: the thread that ran before */
    bool runs_on;                     /* only for a switch: the previous thread was preempted */
    bool in_interrupt;                /* only for a wake-up: it was done by an interrupt */
};

/* Opens the trace points. Call it once, when the cores are known. Returns NULL if the trace points can be read, else
 * the reason: the file or the call that failed, and the system's error. */
const char *trace_points_start(void);

/* Start and stop recording. Nothing is recorded at other times, except by trace_points_switch(). */
void trace_points_begin(void);
void trace_points_end(void);

/* Switches recording on a core on or off, and returns the total number of the core's records so far. Used to measure
 * the time that a record takes. */
uint64_t trace_points_switch(uint32_t core, bool on);

/* Number of records of a core between trace_points_begin() and trace_points_end(), and the largest number of records
 * that its ring buffer can hold */
uint32_t trace_points_count(uint32_t core);
uint32_t trace_points_room(void);

/* Copies the records of a core that are still in the ring buffer, the newest first, at most `room` of them. Returns
 * their number. */
uint32_t trace_points_read(uint32_t core, struct trace_point_record *records, uint32_t room);

#endif
