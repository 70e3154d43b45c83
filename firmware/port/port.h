/* The platform interface: what each platform (a kernel on a board, or Linux) implements for the benchmarks. Its headers
 * are this one, port_objects.h, port_lock.h, port_interrupt.h, port_pin.h, port_launch.h and port_storage.h.
 *
 * Everything under core/, bench/ and workload/ uses these functions of the platform and no others. They are plain
 * functions bound at link time, not a table of pointers: an image has one platform, and a call through a pointer would
 * be part of every measured time.
 *
 * The folder of each implementation (port/posix, …) also has a `port_types.h` with the types that the caller allocates:
 * `port_task_t`, `port_sem_t` and those of the other headers. The members of these types belong to the implementation.
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

/* ---- cores ------------------------------------------------------------------------------------------------------- */

/* Number of cores that tasks can be pinned to, 1 to PORT_CORES_MAX. Constant after start-up. */
uint32_t port_core_count(void);

/* Upper limit of port_core_count(), for tables of fixed size. Each port_types.h defines its own value, because a table
 * for 64 cores does not fit into a chip with two. */
#ifndef PORT_CORES_MAX
#error "port_types.h must define PORT_CORES_MAX"
#endif

/* Seconds after which a ready task that has not run counts as a failure, unless another task of this program occupies
 * its core. Each port_types.h defines its own value: under an operating system, other programs may also delay a
 * task. */
#ifndef PORT_PATIENCE_S
#error "port_types.h must define PORT_PATIENCE_S"
#endif

/* The core that executes the caller, 0 to port_core_count() - 1. An unpinned task may migrate at any moment, so for it
 * the result may be out of date at once. */
uint32_t port_core_id(void);

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/* Reads the common clock: one counter for all cores, which never steps back and does not wrap while Intercore serves
 * the console. Readings on two cores can be subtracted: the difference is the time between them. Reading must be fast,
 * because its overhead is part of every result. */
uint64_t port_clock(void);

/* Ticks of the common clock per second, at least 1000. Constant after start-up. */
uint64_t port_clock_hz(void);

/* Reads the cycle counter of the calling core, which never steps back and does not wrap while Intercore serves the
 * console. The counters of two cores may have started at different moments and, on some platforms, run at different
 * rates: align their readings before you subtract them (core/align.h). The counter is not read before preceding
 * instructions are complete. On a core without a counter this is the common clock. */
uint64_t port_cycles(void);

/* Nominal rate of port_cycles() in ticks per second */
uint64_t port_cycles_hz(void);

/* Width of the hardware's cycle counter in bits, 1 to 64. The hardware counts these low bits of port_cycles(); the
 * platform counts the higher bits in software. 0 if the core has no counter. */
uint32_t port_cycles_bits(void);

/* Kernel ticks per second, at least 1. A platform without a periodic tick (Linux) defines a nominal tick for
 * port_sleep_ticks(). */
uint32_t port_tick_hz(void);

/* ---- shared data ------------------------------------------------------------------------------------------------- */

/* On AMP, where each core has its own kernel and its own program, the same sources are compiled into both programs, and
 * each program has its own copy of the data. Two macros of port_types.h declare what the programs have in common. They
 * are empty if one program runs on all cores.
 *
 *   static struct {…} stage PORT_SHARED(message);   A static variable that tasks of several cores use: one instance at
 *                                                   one address, zero at first. Each name may be used once.
 *   PORT_ENTRY(run_receiver);                       A function that is passed to port_task_start(), port_timer_open()
 *                                                   or port_doorbell_open() for another core. Write the line after
 *                                                   the function's definition.
 *
 * Shared data must not contain pointers to functions, or to constants that contain such pointers. The argument of a
 * function declared with PORT_ENTRY must be in shared data or in a memory region. */
#if !defined(PORT_SHARED) || !defined(PORT_ENTRY)
#error "port_types.h must define PORT_SHARED and PORT_ENTRY"
#endif

/* Alignment in bytes that keeps data of different cores in different cache lines. port_types.h may define another
 * value. */
#ifndef PORT_CACHE_LINE
#define PORT_CACHE_LINE 64
#endif

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* Any core, as the scheduler chooses */
#define PORT_CORE_ANY UINT32_MAX

/* Benchmark tasks have priorities from 1 (low) to PORT_PRIORITY_MAX. The console task is pinned to core 0. Its priority
 * is below that of benchmark tasks and above that of the idle tasks, like the priority of Arduino's loop(). So a
 * benchmark task that it starts on core 0 runs at once. */
#define PORT_PRIORITY_MAX 8U
#define PORT_PRIORITY_CONSOLE 0U

struct port_task_config {
    /* Short name for debuggers; not copied, so it must outlive the task */
    const char *name;
    /* Body of the task, called once with `arg`. The task ends when the body returns. */
    void (*entry)(void *arg);
    void *arg;
    /* Core to pin the task to, below port_core_count(), or PORT_CORE_ANY */
    uint32_t core;
    /* 1 to PORT_PRIORITY_MAX, or PORT_PRIORITY_CONSOLE */
    uint32_t priority;
    /* Bytes of stack for the entry, in addition to what the functions of this header need. 0 is the default, which is
     * at least 1 KiB. */
    uint32_t stack_bytes;
};

/* Creates a task and makes it ready. Tasks of any priority run at the same time on different cores; on one core the
 * task of the highest priority runs. All work of the platform to create a task is inside this call, because the call is
 * measured. The platform uses `*task` until port_task_join() has returned. If there is no memory or no permission, the
 * function returns PORT_ERR_RESOURCE, and `*task` may be reused at once. Never put a port_task_t on a stack: it may
 * contain the task's own stack. */
enum port_error port_task_start(port_task_t *task, const struct port_task_config *config);

/* Waits until the task's entry has returned and the platform has released `task`, which may then be started again. Call
 * it exactly once per started task. */
void port_task_join(port_task_t *task);

/* Returns the calling task, for port_notify(). The caller must be the console task or have been started by
 * port_task_start(). */
port_task_t *port_task_self(void);

/* Yields to other ready tasks of the same priority. */
void port_yield(void);

/* Pins a task to another core, or unpins it with PORT_CORE_ANY. The task may be in any state. A waiting task runs on
 * the new core when it is woken; a running task migrates soon; a task that pins itself is on the new core when the call
 * returns. The call has no effect on a task that has ended but has not been joined. Returns PORT_ERR_UNSUPPORTED if the
 * kernel, like ESP-IDF's, cannot move tasks. */
enum port_error port_task_pin(port_task_t *task, uint32_t core);

/* Suspends a task, in any state, with the kernel's own function, until it is resumed. One resumption ends several
 * suspensions. The call does not wait until a task on another core has stopped. If a sleeping task is suspended, its
 * sleep ends when it is resumed; other waits continue. Linux cannot suspend threads: there the task stops at its next
 * port_checkpoint(), and a task that suspends itself stops at once. */
void port_task_suspend(port_task_t *task);
void port_task_resume(port_task_t *task);

/* Whether a task is blocked and has left its core. Once true, it stays true until the task is woken. The call may be
 * slow: do not use it inside a timed window. */
bool port_task_waits(const port_task_t *task);

/* Makes the kernel choose again which task runs on another core. Call it after a task has been preempted: some kernels,
 * like ESP-IDF's, do not offer a preempted task to other cores, so a core with a task of lower priority would keep
 * running that. Has no effect on other kernels. */
void port_reschedule(uint32_t core);

/* Call it at intervals in a task that may be suspended. Where the kernel cannot suspend tasks, a suspended task stops
 * in this call; elsewhere the call has no effect. */
void port_checkpoint(void);

/* Switches time slicing on or off: tasks of equal priority on a core take turns at every kernel tick, or at the
 * interval in the condition `scheduler.timeslice_ms`. Time slicing is off at first, except where the system always
 * slices time (Linux without real-time scheduling, ESP-IDF). Call it while the console task is the only task. */
void port_time_slicing(bool on);

/* Number of times that the calling task was preempted since it started. Always 0 if the platform does not count
 * preemptions. The call may be slow: do not use it inside a timed window. */
uint64_t port_preemptions(void);

/* ---- the main loop ----------------------------------------------------------------------------------------------- */

/* Some platforms call one function of the program repeatedly, in a task of their own, for example Arduino's loop(). A
 * benchmark may take over the body of that function for a while. The platform then calls the benchmark's body as usual,
 * and the platform's work between two calls is part of the measurement. At all other times the function only waits and
 * takes no processor time. The target reports who owns the loop as its condition `main_loop`. */
struct port_loop_config {
    /* Body of one call of the loop, called with `arg`. It returns false when this was the last call. It may do whatever
     * the entry of a task may do, except call port_task_self(), port_notify_take() and port_notify_count(). It has 2
     * KiB of stack. */
    bool (*pass)(void *arg);
    void *arg;
    /* Core that the loop must be pinned to */
    uint32_t core;
    /* Priority of the loop until its last call, 1 to PORT_PRIORITY_MAX. After that the previous priority is
     * restored. */
    uint32_t priority;
};

/* Makes the main loop call the given body from its next call on. One body at a time. Returns PORT_ERR_UNSUPPORTED if
 * the platform has no main loop, or has it on another core; PORT_ERR_TIMEOUT if the loop's function was not called
 * within a second, because other code in the loop takes longer. */
enum port_error port_loop_start(const struct port_loop_config *config);

/* Waits until the last call of the body has returned. Call it exactly once per port_loop_start(). */
void port_loop_join(void);

/* ---- wake-ups ---------------------------------------------------------------------------------------------------- */

/* Deadline of a wait without a time limit */
#define PORT_FOREVER UINT64_MAX

/* Direct-to-task notification: each task has a count, which nothing else in the platform uses. port_notify() increments
 * the count and wakes the task if it waits. What the caller wrote before port_notify() is visible to the task after its
 * port_notify_take(). */
void port_notify(port_task_t *task);

/* Waits until the calling task's count is above zero, then decrements it. */
void port_notify_take(void);

/* Returns the calling task's count, without changing it. */
uint32_t port_notify_count(void);

/* Creates a counting semaphore. `initial` is at most INT32_MAX. Returns PORT_ERR_RESOURCE if there is no memory. */
enum port_error port_sem_init(port_sem_t *sem, uint32_t initial);
void port_sem_destroy(port_sem_t *sem);
void port_sem_give(port_sem_t *sem);

/* Takes the semaphore. Waits until the common clock reads `deadline` (PORT_FOREVER: no limit), and then returns
 * PORT_ERR_TIMEOUT if the count is still zero. */
enum port_error port_sem_take(port_sem_t *sem, uint64_t deadline);

/* Number of doorbells (interrupts from core to core) since start-up that were lost, and whose loss the platform noticed
 * later. The tasks that they should have woken woke late. 0 if the platform cannot lose a doorbell, or cannot notice
 * the loss. */
uint32_t port_recovered_doorbells(void);

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Blocks the caller until the common clock reads `when` or later. Returns at once if that moment has passed. Depending
 * on the platform, the caller may wake up to one kernel tick late. */
void port_sleep_until(uint64_t when);

/* Blocks the caller until `ticks` edges of the kernel's tick (moments at which it is due) have passed, like
 * vTaskDelay(); the time to the first edge is only a part of a tick. On ESP-IDF, where each core has its own tick, the
 * edges are core 0's, and a task on core 1 wakes at core 1's next tick, a constant time after the edge. The same holds
 * for all other waits with a time limit. */
void port_sleep_ticks(uint32_t ticks);

/* Returns the common clock's reading at the most recent edge of the kernel's tick (moment at which it was due). May be
 * called on any core. The value is exact if the tick's hardware counter can be read. Edges are always a whole number of
 * ticks apart. */
uint64_t port_tick_edge(void);

/* State of a periodic task, which sleeps by the kernel's own call (vTaskDelayUntil). A task that uses a copy of the
 * structure has the same activations as a task that uses the original. */
struct port_period {
    uint64_t last;  /* previous activation, in the kernel's ticks; only the platform uses it */
    uint32_t ticks; /* ticks until the next activation; may be changed between two sleeps */
};

/* Begins a period of `ticks` kernel ticks, at least 1. Returns when the first activation is due, on the common clock:
 * one period after the most recent edge of the tick. Each later activation is due one period after the previous one.
 * The call may busy-wait for a part of a tick, until the kernel has certainly counted that edge. */
uint64_t port_period_begin(struct port_period *period, uint32_t ticks);

/* Blocks the caller until the next activation is due. Returns at once if that moment has passed. */
void port_period_sleep(struct port_period *period);

/* ---- the mark pin ------------------------------------------------------------------------------------------------ */

/* Sets the mark pin of the board high or low. It is high during a measurement, so that a power meter with a digital
 * input can be synchronised (docs/energy.md), and low from start-up and after a panic. The condition `mark` names the
 * pin, e.g. "GP2 (header pin 4)", or is "none": then this function has no effect.
 *
 * Call it from any task on any core and from handlers, but never inside a timed window. The function makes one or a few
 * stores, without a lock or a wait, and takes less than a microsecond; the pin changes within another microsecond. If
 * both cores call it, the last call counts. */
void port_mark(bool on);

/* ---- console ----------------------------------------------------------------------------------------------------- */

/* Only one task at a time may call the functions of the console, on any core.
 *
 * port_console_read() waits for the first byte until the common clock reads `deadline` (0: it does not wait;
 * PORT_FOREVER: no time limit), and then moves up to `size` received bytes into `buffer`. It returns PORT_OK with
 * *received >= 1, or PORT_ERR_TIMEOUT or PORT_ERR_CLOSED with *received == 0. A character that was received with an
 * error is returned as some byte that is not printable ASCII. */
enum port_error port_console_read(uint8_t *buffer, size_t size, size_t *received, uint64_t deadline);

/* Sends all bytes, and returns when the last one has left: so no console interrupt falls into a timed window that
 * follows. Returns PORT_ERR_CLOSED if the other end has gone. */
enum port_error port_console_write(const uint8_t *bytes, size_t size);

/* Returns the available bit rate with this index, counted from 0 in ascending order; 0 beyond the last one. Always 0 if
 * the console has no bit rate, like Linux's standard input. */
uint32_t port_console_rate_choice(uint32_t index);

/* The current bit rate, one of the available ones; 0 if the console has no bit rate */
uint32_t port_console_rate(void);

/* Switches to one of the available bit rates at once. All output has already been sent, because port_console_write()
 * waits for that. A character that is being received is lost or damaged; characters received before are kept. */
void port_console_set_rate(uint32_t bits_per_second);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The buffer for the samples of a measurement */
struct port_samples {
    int64_t *base;
    /* Number of samples that fit, at least PORT_SAMPLES_LEAST */
    uint32_t count;
};

/* Least number of samples in a buffer: enough for one sample of each series (kind of sample) of any benchmark, and for
 * those of the timestamp overhead */
#define PORT_SAMPLES_LEAST 512U

/* Returns the buffer for samples, which has no other use. It is static (port/samples_static.c), except on ESP-IDF,
 * where intercore_start() allocates it. It does not change while Intercore serves the console. On AMP it is shared by
 * both programs (PORT_SHARED). */
struct port_samples port_samples(void);

/* ---- description of the target ----------------------------------------------------------------------------------- */

/* Word i of a read-only memory region, as wide as a pointer, has the value i times this number, which is odd and has
 * irregular bits (2^32 divided by the golden ratio). */
#define PORT_REGION_STEP 0x9e3779b1U

/* A memory region for benchmarks */
struct port_region {
    /* The region's name in the parameters of benchmarks, e.g. "sram-striped". Lower case, no blanks. */
    const char *name;
    /* Start, aligned to 64 bytes. The region is used by nothing but benchmarks. */
    void *base;
    /* Size in bytes, a multiple of 64. Region 0 has at least 4 KiB, and is larger than any private cache of a core. */
    size_t bytes;
    /* Whether the region is read-only, like flash. Each half of a read-only region is larger than the region's cache,
     * so that sequential reads reach the memory itself. */
    bool read_only;
};

/* Returns the region with this index, from 0; false beyond the last one. There is at least one writable region, and the
 * writable regions come first. */
bool port_region(uint32_t index, struct port_region *region);

/* Name of the board's folder, e.g. "linux", and of the chip or CPU */
const char *port_board(void);
const char *port_chip(void);

/* Source of the common clock, e.g. "CLOCK_MONOTONIC" */
const char *port_clock_name(void);

/* A condition: a property of the target that a result may depend on */
struct port_condition {
    /* Lower case words joined by dots or underscores, e.g. "scheduler.policy" */
    const char *key;
    /* Any text. Must stay valid and unchanged until the program ends. */
    const char *value;
};

/* Returns the condition with this index, from 0; false beyond the last one. Conditions never change. */
bool port_condition(uint32_t index, struct port_condition *condition);

#endif
