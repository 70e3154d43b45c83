/* What a platform supplies: this header, port_objects.h, port_lock.h and port_interrupt.h are the whole list.
 *
 * Everything under core/, bench/ and workload/ is written against these functions and nothing else. They are plain
 * functions bound at link time, not a table of pointers: one image has one platform, and a call through a pointer
 * would stand inside every time that is measured.
 *
 * The folder of each implementation (port/posix, …) also holds a `port_types.h` with the types that the caller
 * allocates: `port_task_t`, `port_sem_t` and those of the other headers. Their members belong to the implementation.
 *
 * Unless it says otherwise, a function may be called from any task but not from an interrupt handler, and cannot fail.
 */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port_types.h"

/* Results of the functions that can fail. */
enum port_error {
    PORT_OK = 0,              /* done */
    PORT_ERR_RESOURCE = 1,    /* no memory, no task slot or no permission for what was asked */
    PORT_ERR_TIMEOUT = 2,     /* the time given has passed */
    PORT_ERR_CLOSED = 3,      /* the console's other end has gone away; a serial line never reports this */
    PORT_ERR_UNSUPPORTED = 4, /* the platform has nothing of that kind */
};

/* ---- cores ---------------------------------------------------------------------------------------------------- */

/* Number of cores that tasks may be pinned to, 1 to PORT_CORES_MAX. Constant after start-up. */
uint32_t port_core_count(void);

/* Upper limit of port_core_count(), which fixed-size tables rely on: defined in port_types.h, because a table for 64
 * cores does not fit a chip with two. */
#ifndef PORT_CORES_MAX
#error "port_types.h must define PORT_CORES_MAX"
#endif

/* Within how many seconds a task that is ready runs at the latest, if no other task of the program keeps it from its
 * core: defined in port_types.h. Under an operating system there are other programs, and the system decides. */
#ifndef PORT_PATIENCE_S
#error "port_types.h must define PORT_PATIENCE_S"
#endif

/* The core that executes the caller, 0 to port_core_count() - 1. For an unpinned task it may be out of date at once. */
uint32_t port_core_id(void);

/* ---- clocks --------------------------------------------------------------------------------------------------- */

/* The common clock: one counter, the same for all cores, that never steps back and does not wrap within a session.
 * The difference of two readings taken on two cores is a time. Must be cheap: its cost is part of what is measured. */
uint64_t port_clock(void);

/* Ticks of the common clock per second, at least 1000. Constant after start-up. */
uint64_t port_clock_hz(void);

/* This core's own cycle counter, which never steps back and does not wrap within a session. Readings of different cores
 * must not be subtracted before they are aligned (core/align.h): each may have started at another moment and, on some
 * platforms, run at another speed. A reading is not taken before what stands before it has been done. Where a core has
 * none, the common clock. */
uint64_t port_cycles(void);

/* Ticks of port_cycles() per second, nominal. */
uint64_t port_cycles_hz(void);

/* Bits of the counter itself, 1 to 64: as many low bits of port_cycles() are what it reads, and the others are counted
 * by the platform. 0 where a core has none. */
uint32_t port_cycles_bits(void);

/* Kernel ticks per second, at least 1. A platform without a periodic tick names a nominal one and keeps its grid in
 * port_sleep_ticks(). */
uint32_t port_tick_hz(void);

/* ---- what several cores see ------------------------------------------------------------------------------------- */

/* Where each core has a kernel and a program of its own (AMP), the same sources are compiled into both programs, and
 * what one has for itself the other does not know. Two words, which port_types.h defines and which mean nothing where
 * one program has all cores, name what they have in common:
 *
 *   static struct {…} stage PORT_SHARED(message);   a static variable that tasks of several cores use: there for all,
 *                                                   at one address, and zero at first. No name is used twice.
 *   PORT_ENTRY(run_receiver);                       a function that is given to port_task_start(), port_timer_open() or
 *                                                   port_doorbell_open() for another core; behind its definition.
 *
 * So no pointer to a function, nor to a constant that has one, may stand in what is shared; and the argument of such a
 * function lies in it, or in a memory region. */
#if !defined(PORT_SHARED) || !defined(PORT_ENTRY)
#error "port_types.h must define PORT_SHARED and PORT_ENTRY"
#endif

/* Alignment in bytes that keeps what different cores write on different cache lines; port_types.h may have another. */
#ifndef PORT_CACHE_LINE
#define PORT_CACHE_LINE 64
#endif

/* ---- tasks ---------------------------------------------------------------------------------------------------- */

/* Runs on whichever core the scheduler likes. */
#define PORT_CORE_ANY UINT32_MAX

/* Priorities are 1 (low) to PORT_PRIORITY_MAX for benchmark tasks. The console task, pinned to core 0, is below them
 * all and above the platform's idle, the way Arduino's loop() is: a task that it starts on its own core runs at once.
 */
#define PORT_PRIORITY_MAX 8U
#define PORT_PRIORITY_CONSOLE 0U

struct port_task_config {
    /* Short name for debuggers; not copied, so it must outlive the task. */
    const char *name;
    /* Body of the task, run once with `arg`. The task ends when it returns. */
    void (*entry)(void *arg);
    void *arg;
    /* Core to be pinned to, below port_core_count(), or PORT_CORE_ANY. */
    uint32_t core;
    /* 1 to PORT_PRIORITY_MAX, or PORT_PRIORITY_CONSOLE. */
    uint32_t priority;
    /* Bytes of stack that the entry needs, without what the functions of this header need; 0 for the platform's usual,
     * which is 1 KiB at least. */
    uint32_t stack_bytes;
};

/* Tasks of any priority run at the same time on different cores; on one core the higher priority runs.
 *
 * Creates a task and makes it ready. `task` stays with the platform until port_task_join() has returned. Everything
 * that the platform does to create a task happens inside this call, because it is measured.
 * PORT_ERR_RESOURCE if there is no memory or no permission; then `task` may be used again at once. A port_task_t may
 * hold the task's stack: never put one on a stack. */
enum port_error port_task_start(port_task_t *task, const struct port_task_config *config);

/* Waits until the task's entry has returned and the platform has let go of `task`, which may be started again at once.
 * To be called exactly once per started task. */
void port_task_join(port_task_t *task);

/* The calling task, as a target of port_notify(). Every task that calls this was started by port_task_start() or is
 * the console task. */
port_task_t *port_task_self(void);

/* Lets other ready tasks of the same priority run. */
void port_yield(void);

/* Pins a task to another core, or to none with PORT_CORE_ANY, whatever it is doing: one that waits runs on the new core
 * when it is woken, one that runs moves soon, one that pins itself is there when this returns, and for one that has
 * ended but not been joined nothing happens. PORT_ERR_UNSUPPORTED where the kernel cannot (ESP-IDF's). */
enum port_error port_task_pin(port_task_t *task, uint32_t core);

/* Stops a task wherever it is until it is resumed: the kernel's own suspension. Suspending twice counts as once. Does
 * not wait until a task on another core has stopped. A sleep that was interrupted so ends when the task is resumed;
 * other waits go on. On Linux, which has none for threads, the task waits at its next port_checkpoint(), and one that
 * suspends itself at once. */
void port_task_suspend(port_task_t *task);
void port_task_resume(port_task_t *task);

/* Whether a task is blocked in a call that waits, and off its core. Once true it stays so until somebody wakes the
 * task. May be slow: not for use inside a timed window. */
bool port_task_waits(const port_task_t *task);

/* Has another core choose anew among the tasks that are ready and may run there. Needed when a task has just been
 * preempted, and only where the kernel then looks at no other core (ESP-IDF's): one that runs something less urgent
 * goes on with it there. Elsewhere it does nothing. */
void port_reschedule(uint32_t core);

/* To be called now and then by a task that may be suspended. Does nothing where the kernel can stop tasks itself. */
void port_checkpoint(void);

/* Whether tasks of equal priority take turns on a core: at every kernel tick where there is one, else after a time
 * that a condition names. Off at first, except where the system always does it (Linux without real-time scheduling).
 * To be switched while the console task is the only one. */
void port_time_slicing(bool on);

/* How often the calling task was forced off its core while it could have run on, since it started. Always 0 where the
 * platform cannot tell. May be slow: not for use inside a timed window. */
uint64_t port_preemptions(void);

/* ---- the main loop --------------------------------------------------------------------------------------------- */

/* Some platforms call one function of the program over and over, in a task of their own: Arduino's loop(). A benchmark
 * may say for a while what that function does; the platform goes on calling it in its own way, and what it does between
 * two calls is part of what is measured. At all other times the function waits and takes no time. The condition
 * `main_loop` says whose loop it is. */
struct port_loop_config {
    /* What a call of the loop does, with `arg`; false: this was the last one. It may do what the entry of a task may,
     * but not call port_task_self(), port_notify_take() or port_notify_count(), and it has 2 KiB of stack. */
    bool (*pass)(void *arg);
    void *arg;
    /* Core that the loop must be pinned to. */
    uint32_t core;
    /* 1 to PORT_PRIORITY_MAX: the loop's until its last call; then it is what it was before. */
    uint32_t priority;
};

/* Lets the main loop be that, from its next call on. One at a time. PORT_ERR_UNSUPPORTED if the platform has no main
 * loop, or not on that core; PORT_ERR_TIMEOUT if there is one and within a second it did not come by: the program does
 * something else there. */
enum port_error port_loop_start(const struct port_loop_config *config);

/* Waits until the last call has returned. To be called exactly once per start. */
void port_loop_join(void);

/* ---- waking ---------------------------------------------------------------------------------------------------- */

/* No time limit. */
#define PORT_FOREVER UINT64_MAX

/* Direct-to-task notification: a count per task, which nothing else in the platform uses. port_notify() adds one and
 * wakes the task if it waits. It orders memory: what the notifier wrote before is visible to the task after. */
void port_notify(port_task_t *task);

/* Waits until the calling task's count is above zero, then takes one. */
void port_notify_take(void);

/* The calling task's count. Takes nothing. */
uint32_t port_notify_count(void);

/* Counting semaphore. `initial` is at most INT32_MAX. PORT_ERR_RESOURCE if there is no memory for it. */
enum port_error port_sem_init(port_sem_t *sem, uint32_t initial);
void port_sem_destroy(port_sem_t *sem);
void port_sem_give(port_sem_t *sem);

/* Takes one, waiting until the common clock reads `deadline` at most (PORT_FOREVER: no limit). PORT_ERR_TIMEOUT if
 * there was none until then. */
enum port_error port_sem_take(port_sem_t *sem, uint64_t deadline);

/* Wake-ups between cores whose interrupt (doorbell) was lost and that the platform has made up for, since it started:
 * who was to be woken was woken late. 0 where a platform cannot lose one, or cannot tell. */
uint32_t port_recovered_doorbells(void);

/* ---- time that passes ------------------------------------------------------------------------------------------ */

/* Blocks the caller until the common clock reads `when` or later; returns at once if it already does. May wake late,
 * by up to a kernel tick where the platform knows no better. */
void port_sleep_until(uint64_t when);

/* Blocks the caller until `ticks` edges of the kernel's tick have passed, the way vTaskDelay() does: the first edge
 * comes after a part of a tick only. Where other cores have a tick of their own (ESP-IDF), who sleeps there wakes at
 * its next one: so long behind the edge, always. That holds for all that waits for time. */
void port_sleep_ticks(uint32_t ticks);

/* The common clock at the last edge of the kernel's tick, from any core: exact where the tick's counter can be read.
 * The edges of the past and of the future lie whole ticks apart. */
uint64_t port_tick_edge(void);

/* A periodic task's sleep, by the kernel's own call for it (vTaskDelayUntil). A copy is a period of its own, by which
 * another task is released with this one. */
struct port_period {
    uint64_t last;  /* release, in the kernel's own count; belongs to the platform */
    uint32_t ticks; /* from that to the next one; may be changed between two sleeps */
};

/* Begins a period of `ticks` kernel ticks, at least 1: returns the common clock at which the first release is due, the
 * period away from the last edge of the tick. Later ones are due each a period after the one before. May wait, busily,
 * for a part of a tick, until the kernel has surely counted that edge. */
uint64_t port_period_begin(struct port_period *period, uint32_t ticks);

/* Blocks the caller until the next release is due; returns at once if it is overdue. */
void port_period_sleep(struct port_period *period);

/* ---- the energy mark -------------------------------------------------------------------------------------------- */

/* Drives the energy mark, a pin of the board, high or low: high while something is measured, so that a power meter with
 * a digital input can be lined up (docs/energy.md). Low from start on, and after a panic. The condition `mark` names
 * the pin, e.g. "GP2 (header pin 4)", or says "none": then this does nothing.
 *
 * From any task on any core and from handlers. It is one store or few, without a lock and without waiting, takes below
 * a microsecond, and the pin follows within another. Setting what is set changes nothing; of several calls the last one
 * counts. It is never called inside a timed interval. */
void port_mark(bool on);

/* ---- console ---------------------------------------------------------------------------------------------------- */

/* These functions are for one task at a time, on any core.
 *
 * A character that was received with an error is given as one that is not printable ASCII.
 *
 * Moves up to `size` received bytes into `buffer`, waiting for the first one until the common clock reads `deadline`
 * at most (0: do not wait, PORT_FOREVER: no limit). Returns PORT_OK with *received >= 1, PORT_ERR_TIMEOUT with 0, or
 * PORT_ERR_CLOSED with 0. */
enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline);

/* Sends all bytes and returns when the last has left: the caller may begin a timed window next, and no interrupt of
 * ours may fall into it. PORT_ERR_CLOSED if nobody can receive them any more. */
enum port_error port_console_write(const uint8_t *bytes, size_t size);

/* The bit rates that the console can be switched to, ascending: the one with this index, from 0 up; 0 beyond the last.
 * None where a rate has no meaning. */
uint32_t port_console_rate_choice(uint32_t index);

/* The present bit rate, one of those; 0 where a rate has no meaning. */
uint32_t port_console_rate(void);

/* Switches to one of those rates, at once: what port_console_write() was given has left. A character that is just being
 * received is lost or damaged; what was received before stays. */
void port_console_set_rate(uint32_t bits_per_second);

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Where the samples of a measurement are kept, aligned for them. */
struct port_samples {
    int64_t *base;
    /* How many there is room for, at least PORT_SAMPLES_LEAST. */
    uint32_t count;
};

/* With fewer no benchmark could take one sample of each of its series, and the cost of looking. */
#define PORT_SAMPLES_LEAST 512U

/* That memory, which nobody else uses: static where Intercore has the chip to itself (port/samples_static.c), else what
 * the platform has taken for a session. It stays the same for as long as the console is served. Where several programs
 * make a target it is for all of them (PORT_SHARED). */
struct port_samples port_samples(void);

/* ---- what the target is ------------------------------------------------------------------------------------------ */

/* What a region that can only be read holds: word i, as wide as a pointer, is i times this, an odd number without a
 * pattern (the golden ratio of 2^32). */
#define PORT_REGION_STEP 0x9e3779b1U

/* Memory that benchmarks may use, by name. */
struct port_region {
    /* The name a user gives to choose it, e.g. "sram-striped". Lower case, no blanks. */
    const char *name;
    /* Start, aligned to 64 bytes; it belongs to the benchmarks entirely. */
    void *base;
    /* Size in bytes, a multiple of 64. Region 0 has 4 KiB at least, and is larger than any cache in
     * front of it that a core has to itself. */
    size_t bytes;
    /* Whether it can only be read, as flash can. Each half of such a region is larger than a cache in front of it, so
     * that reading it in order is reading the memory. */
    bool read_only;
};

/* The region with this index, from 0 up; false beyond the last. There is at least one that can be written, and all of
 * those come before the ones that can only be read. */
bool port_region(uint32_t index, struct port_region *region);

/* Name of the board's folder, e.g. "linux", and of the chip or CPU. */
const char *port_board(void);
const char *port_chip(void);

/* What the common clock is made of, e.g. "CLOCK_MONOTONIC". */
const char *port_clock_name(void);

/* One fact about the target that a number may depend on. */
struct port_condition {
    /* Lower case words joined by dots or underscores, e.g. "scheduler.policy". */
    const char *key;
    /* Any text. Must stay valid and unchanged until the program ends. */
    const char *value;
};

/* The condition with this index, from 0 up; false beyond the last. The same index gives the same fact each time. */
bool port_condition(uint32_t index, struct port_condition *condition);

#endif
