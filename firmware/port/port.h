/* The platform interface: this header, port_objects.h, port_lock.h and port_interrupt.h are complete.
 *
 * Everything under core/, bench/ and workload/ uses these functions and no others. They are plain functions bound at
 * link time, not a table of pointers: an image has one platform, and a call through a pointer would be part of every
 * measured time.
 *
 * The folder of each implementation (port/posix, …) also has a `port_types.h` with the types that the caller allocates:
 * `port_task_t`, `port_sem_t` and those of the other headers. Their members belong to the implementation.
 *
 * Unless noted otherwise, a function may be called from any task but not from an interrupt handler, and cannot fail. */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port_types.h"

/* Results of functions that can fail */
enum port_error {
    PORT_OK = 0,              /* done */
    PORT_ERR_RESOURCE = 1,    /* no memory, no task slot or no permission */
    PORT_ERR_TIMEOUT = 2,     /* the time limit has passed */
    PORT_ERR_CLOSED = 3,      /* the console's other end has gone; a serial line never reports this */
    PORT_ERR_UNSUPPORTED = 4, /* the platform does not have this feature */
};

/* ---- cores ---------------------------------------------------------------------------------------------------- */

/* Number of cores that tasks can be pinned to, 1 to PORT_CORES_MAX. Constant after start-up. */
uint32_t port_core_count(void);

/* Upper limit of port_core_count(), for tables of fixed size. Defined in port_types.h, because a table for 64 cores
 * does not fit into a chip with two. */
#ifndef PORT_CORES_MAX
#error "port_types.h must define PORT_CORES_MAX"
#endif

/* Seconds within which a ready task runs, unless another task of the program keeps its core. Defined in port_types.h:
 * under an operating system other programs run, too. */
#ifndef PORT_PATIENCE_S
#error "port_types.h must define PORT_PATIENCE_S"
#endif

/* The core that executes the caller, 0 to port_core_count() - 1. For an unpinned task it may be out of date at once. */
uint32_t port_core_id(void);

/* ---- clocks --------------------------------------------------------------------------------------------------- */

/* Reads the common clock: one counter for all cores, which never steps back and does not wrap within a session. The
 * difference of readings on two cores is a time. Must be fast: its overhead is part of every result. */
uint64_t port_clock(void);

/* Ticks of the common clock per second, at least 1000. Constant after start-up. */
uint64_t port_clock_hz(void);

/* Reads this core's own cycle counter, which never steps back and does not wrap within a session. Readings of different
 * cores must be aligned before they are subtracted (core/align.h): the counters may have started at different moments
 * and, on some platforms, run at different speeds. The reading is not reordered before preceding instructions. The
 * common clock on a core without a counter. */
uint64_t port_cycles(void);

/* Ticks of port_cycles() per second, nominal */
uint64_t port_cycles_hz(void);

/* Width of the hardware counter in bits, 1 to 64: the low bits of port_cycles(); the platform counts the others in
 * software. 0 if a core has no counter. */
uint32_t port_cycles_bits(void);

/* Kernel ticks per second, at least 1. A platform without a periodic tick has a nominal one, for port_sleep_ticks(). */
uint32_t port_tick_hz(void);

/* ---- shared data ------------------------------------------------------------------------------------------------ */

/* On AMP, with a kernel and a program on each core, the same sources are compiled into both programs, and each has its
 * own copy of the data. Two macros of port_types.h, which are empty if one program has all cores, declare what is
 * common:
 *
 *   static struct {…} stage PORT_SHARED(message);   a static variable used by tasks of several cores: one instance at
 *                                                   one address, zero at first. Each name is used once.
 *   PORT_ENTRY(run_receiver);                       a function passed to port_task_start(), port_timer_open() or
 *                                                   port_doorbell_open() for another core; after its definition.
 *
 * Shared data must not contain pointers to functions, or to constants that contain such pointers; the argument of such
 * a function must be in shared data, or in a memory region. */
#if !defined(PORT_SHARED) || !defined(PORT_ENTRY)
#error "port_types.h must define PORT_SHARED and PORT_ENTRY"
#endif

/* Alignment in bytes that separates data of different cores into different cache lines; port_types.h may have
 * another. */
#ifndef PORT_CACHE_LINE
#define PORT_CACHE_LINE 64
#endif

/* ---- tasks ---------------------------------------------------------------------------------------------------- */

/* Any core, as the scheduler chooses */
#define PORT_CORE_ANY UINT32_MAX

/* Priorities of benchmark tasks are 1 (low) to PORT_PRIORITY_MAX. The console task, pinned to core 0, is below them and
 * above idle, like Arduino's loop(): a task that it starts on its own core runs at once. */
#define PORT_PRIORITY_MAX 8U
#define PORT_PRIORITY_CONSOLE 0U

struct port_task_config {
    /* Short name for debuggers; not copied, so it must outlive the task */
    const char *name;
    /* Body of the task, run once with `arg`. The task ends when it returns. */
    void (*entry)(void *arg);
    void *arg;
    /* Core to pin the task to, below port_core_count(), or PORT_CORE_ANY */
    uint32_t core;
    /* 1 to PORT_PRIORITY_MAX, or PORT_PRIORITY_CONSOLE */
    uint32_t priority;
    /* Bytes of stack for the entry, in addition to those of this header's functions; 0 for the default, at least 1
     * KiB */
    uint32_t stack_bytes;
};

/* Creates a task and makes it ready. Tasks of any priority run at the same time on different cores; on one core the
 * highest priority runs. `task` belongs to the platform until port_task_join() has returned. All work of the platform
 * to create a task is inside this call, because it is measured. PORT_ERR_RESOURCE if there is no memory or no
 * permission; `task` may then be reused at once. A port_task_t may contain the task's stack: never put one on a
 * stack. */
enum port_error port_task_start(port_task_t *task, const struct port_task_config *config);

/* Waits until the task's entry has returned and the platform has released `task`, which may be started again at once.
 * Call it exactly once per started task. */
void port_task_join(port_task_t *task);

/* Returns the calling task, for port_notify(). Every caller was started by port_task_start() or is the console task. */
port_task_t *port_task_self(void);

/* Yields to other ready tasks of the same priority. */
void port_yield(void);

/* Pins a task to another core, or unpins it with PORT_CORE_ANY, in any state: a waiting task runs on the new core when
 * it is woken; a running one migrates soon; a task that pins itself is there on return; on a task that has ended but
 * not been joined it has no effect. PORT_ERR_UNSUPPORTED if the kernel cannot (ESP-IDF's). */
enum port_error port_task_pin(port_task_t *task, uint32_t core);

/* Suspends a task, in any state, until it is resumed: the kernel's own suspension. Does not nest, and does not wait
 * until a task on another core has stopped. A sleep interrupted in this way ends when the task is resumed; other waits
 * continue. Linux cannot suspend threads: there the task waits at its next port_checkpoint(), and one that suspends
 * itself at once. */
void port_task_suspend(port_task_t *task);
void port_task_resume(port_task_t *task);

/* Whether a task is blocked and off its core. Once true it stays so until the task is woken. May be slow: not for use
 * inside a timed window. */
bool port_task_waits(const port_task_t *task);

/* Makes another core reschedule. Needed when a task has just been preempted and the kernel does not offer it to other
 * cores (ESP-IDF's): a core with a task of lower priority would continue with that. Has no effect elsewhere. */
void port_reschedule(uint32_t core);

/* Call it at intervals in a task that may be suspended. Has no effect if the kernel can suspend tasks itself. */
void port_checkpoint(void);

/* Switches time slicing between tasks of equal priority on a core: at every kernel tick, or at an interval stated in a
 * condition. Off at first, except where the system always does it (Linux without real-time scheduling). Call it while
 * the console task is the only one. */
void port_time_slicing(bool on);

/* Number of times that the calling task was preempted since it started. Always 0 if the platform cannot tell. May be
 * slow: not for use inside a timed window. */
uint64_t port_preemptions(void);

/* ---- the main loop --------------------------------------------------------------------------------------------- */

/* Some platforms call one function of the program repeatedly, in their own task: Arduino's loop(). A benchmark may
 * supply the body of that function for a while; the platform calls it in its own way, and its work between two calls is
 * part of the measurement. At all other times the function waits and takes no time. The condition `main_loop` names the
 * owner of the loop. */
struct port_loop_config {
    /* Body of a call of the loop, with `arg`; false: this was the last one. It may do what a task's entry may, except
     * port_task_self(), port_notify_take() and port_notify_count(), and it has 2 KiB of stack. */
    bool (*pass)(void *arg);
    void *arg;
    /* Core that the loop must be pinned to */
    uint32_t core;
    /* Priority of the loop until its last call, 1 to PORT_PRIORITY_MAX; then the previous one is restored */
    uint32_t priority;
};

/* Installs the body of the main loop, from its next call on. One at a time. PORT_ERR_UNSUPPORTED if the platform has no
 * main loop, or not on that core; PORT_ERR_TIMEOUT if the loop did not call within a second, because the program is
 * busy in it. */
enum port_error port_loop_start(const struct port_loop_config *config);

/* Waits until the last call has returned. Call it exactly once per start. */
void port_loop_join(void);

/* ---- wake-ups -------------------------------------------------------------------------------------------------- */

/* No time limit. */
#define PORT_FOREVER UINT64_MAX

/* Direct-to-task notification: a count per task, used by nothing else in the platform. port_notify() increments it and
 * wakes the task if it waits. It orders memory: writes before the notification are visible to the task after it. */
void port_notify(port_task_t *task);

/* Waits until the calling task's count is above zero, then decrements it. */
void port_notify_take(void);

/* Returns the calling task's count, without changing it. */
uint32_t port_notify_count(void);

/* Creates a counting semaphore. `initial` is at most INT32_MAX. PORT_ERR_RESOURCE if there is no memory for it. */
enum port_error port_sem_init(port_sem_t *sem, uint32_t initial);
void port_sem_destroy(port_sem_t *sem);
void port_sem_give(port_sem_t *sem);

/* Takes one, or waits until the common clock reads `deadline` (PORT_FOREVER: no limit). PORT_ERR_TIMEOUT if none came
 * until then. */
enum port_error port_sem_take(port_sem_t *sem, uint64_t deadline);

/* Number of lost doorbells recovered since start-up. The affected wake-ups were delayed. 0 if a platform cannot lose
 * one, or cannot tell. */
uint32_t port_recovered_doorbells(void);

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Blocks the caller until the common clock reads `when` or later; returns at once if it already does. May wake late, by
 * up to a kernel tick, depending on the platform. */
void port_sleep_until(uint64_t when);

/* Blocks the caller until `ticks` edges of the kernel's tick have passed, like vTaskDelay(): the first edge comes after
 * a fraction of a tick. On cores with their own tick (ESP-IDF) a sleeping task wakes at that core's next one: a
 * constant time after the edge. The same holds for all waits for time. */
void port_sleep_ticks(uint32_t ticks);

/* The common clock at the last edge of the kernel's tick, from any core: exact if the tick's counter can be read. All
 * edges are whole ticks apart. */
uint64_t port_tick_edge(void);

/* Sleep of a periodic task, by the kernel's own call (vTaskDelayUntil). A copy is another period, with the same
 * activations. */
struct port_period {
    uint64_t last;  /* last activation, in the kernel's own count; belongs to the platform */
    uint32_t ticks; /* ticks until the next one; may be changed between two sleeps */
};

/* Begins a period of `ticks` kernel ticks, at least 1. Returns the common clock when the first activation is due, one
 * period after the last edge of the tick; each later one is due a period after the preceding one. May busy-wait for a
 * fraction of a tick, until the kernel has certainly counted that edge. */
uint64_t port_period_begin(struct port_period *period, uint32_t ticks);

/* Blocks the caller until the next activation is due; returns at once if it is overdue. */
void port_period_sleep(struct port_period *period);

/* ---- the mark pin ------------------------------------------------------------------------------------------------ */

/* Sets the mark pin of the board high or low: high during a measurement, so that a power meter with a digital input can
 * be synchronised (docs/energy.md). Low from start-up, and after a panic. The condition `mark` names the pin, e.g. "GP2
 * (header pin 4)", or is "none": then this has no effect.
 *
 * Call it from any task on any core and from handlers, never inside a timed window. It is one or a few stores, without
 * a lock or a wait, and takes less than a microsecond; the pin follows within another. Repeated calls with the same
 * level change nothing; the last call counts. */
void port_mark(bool on);

/* ---- console ---------------------------------------------------------------------------------------------------- */

/* These functions are for one task at a time, on any core.
 *
 * A character received with an error is returned as one that is not printable ASCII.
 *
 * Moves up to `size` received bytes into `buffer`, and waits for the first one until the common clock reads `deadline`
 * (0: do not wait, PORT_FOREVER: no limit). Returns PORT_OK with *received >= 1, PORT_ERR_TIMEOUT with 0, or
 * PORT_ERR_CLOSED with 0. */
enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline);

/* Sends all bytes and returns when the last has left, so that no console interrupt falls into a timed window that
 * follows. PORT_ERR_CLOSED if the other end has gone. */
enum port_error port_console_write(const uint8_t *bytes, size_t size);

/* The available bit rates, ascending: the one with this index, from 0; 0 beyond the last. None if the console has no
 * bit rate. */
uint32_t port_console_rate_choice(uint32_t index);

/* The present bit rate, one of those; 0 if the console has none */
uint32_t port_console_rate(void);

/* Switches to one of those rates, immediately: all output of port_console_write() has left. A character being received
 * is lost or damaged; earlier input stays. */
void port_console_set_rate(uint32_t bits_per_second);

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Buffer for the samples of a measurement, aligned for them */
struct port_samples {
    int64_t *base;
    /* Its capacity, at least PORT_SAMPLES_LEAST */
    uint32_t count;
};

/* Enough for one sample of each series of any benchmark, and the timestamp overhead */
#define PORT_SAMPLES_LEAST 512U

/* Returns that buffer, which has no other use: static if Intercore has the chip to itself (port/samples_static.c), else
 * allocated for a session. It does not change while the console is served. On AMP it is shared (PORT_SHARED). */
struct port_samples port_samples(void);

/* ---- description of the target
 * ------------------------------------------------------------------------------------ */

/* Contents of a read-only region: word i, as wide as a pointer, is i times this, an odd number without a pattern (the
 * golden ratio of 2^32) */
#define PORT_REGION_STEP 0x9e3779b1U

/* A memory region for benchmarks */
struct port_region {
    /* Its name in parameters, e.g. "sram-striped". Lower case, no blanks. */
    const char *name;
    /* Start, aligned to 64 bytes; it belongs entirely to the benchmarks */
    void *base;
    /* Size in bytes, a multiple of 64. Region 0 has at least 4 KiB, and is larger than any private cache of a core. */
    size_t bytes;
    /* Whether it is read-only, like flash. Each half of such a region is larger than its cache, so that sequential
     * reads reach the memory. */
    bool read_only;
};

/* Returns the region with this index, from 0; false beyond the last. There is at least one writable region, and the
 * writable ones come first. */
bool port_region(uint32_t index, struct port_region *region);

/* Name of the board's folder, e.g. "linux", and of the chip or CPU */
const char *port_board(void);
const char *port_chip(void);

/* Source of the common clock, e.g. "CLOCK_MONOTONIC" */
const char *port_clock_name(void);

/* A property of the target that a result may depend on */
struct port_condition {
    /* Lower case words joined by dots or underscores, e.g. "scheduler.policy" */
    const char *key;
    /* Any text. Must stay valid and unchanged until the program ends. */
    const char *value;
};

/* Returns the condition with this index, from 0; false beyond the last. The conditions do not change. */
bool port_condition(uint32_t index, struct port_condition *condition);

#endif
