/* Intercore as a component of an ESP-IDF or Arduino program: two calls, and a console */
#ifndef INTERCORE_H
#define INTERCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A console: a serial line, or a substitute. All functions are called by one task at a time, usually pinned to core 0,
 * and get `context`. They may wait only by blocking: a spinning wait takes time from the measurement. The structure
 * must not change until intercore_stop() has returned. */
struct intercore_console {
    /* Description for the condition `console`, e.g. "UART0 by interrupt on core 0" */
    const char *name;
    /* Prepares it: called once, on core 0, before all others. False if it is not available. May be NULL. */
    bool (*open)(void *context);
    /* Releases the resources of open(). May be NULL. */
    void (*close)(void *context);
    /* Moves up to `size` received bytes into `buffer`, and waits for the first one at most `timeout_ms` (0: no wait).
     * Returns their number, 0 if none came. A character received with an error is 0xFF. */
    size_t (*read)(void *context, uint8_t *buffer, size_t size, uint32_t timeout_ms);
    /* Sends all bytes and returns when the last has left, so that no interrupt of the console comes later. False if the
     * other end has gone; a serial line never reports this. */
    bool (*write)(void *context, const uint8_t *bytes, size_t size);
    /* The available bit rates, ascending, ended by 0; NULL if it has no bit rate */
    const uint32_t *rates;
    /* The bit rate at start: one of those, or 0 */
    uint32_t rate;
    /* Switches to one of `rates`, after all output of write() has left. NULL if `rates` is NULL. */
    void (*set_rate)(void *context, uint32_t bits_per_second);
    void *context;
};

/* The ranges of the sizes below */
#define INTERCORE_SAMPLES_LEAST 512U
#define INTERCORE_SAMPLES_MOST 32768U
#define INTERCORE_REGION_LEAST 4096U
#define INTERCORE_REGION_MOST 131072U
#define INTERCORE_CONSOLE_STACK_LEAST 5120U
#define INTERCORE_TASK_STACK_LEAST 3072U
#define INTERCORE_STACK_MOST 32768U

/* For a size that may be 0: none */
#define INTERCORE_NONE UINT32_MAX

/* Members that are 0 or NULL have the values of the project's configuration (menuconfig, Intercore), so {0} is all of
 * them.
 *
 * Sizes are of internal memory from the heap; docs/esp32.md lists the needs of each benchmark. With less, a benchmark
 * has smaller ranges (the command `list`) or is refused with a sentence on the console. */
struct intercore_config {
    /* NULL: the console of the project's configuration, else UART0 at 115200 bit/s on its pins at start */
    const struct intercore_console *console;
    /* Capacity for the samples of one measurement, 8 bytes each: INTERCORE_SAMPLES_LEAST to INTERCORE_SAMPLES_MOST;
     * default 8192 */
    uint32_t samples;
    /* Bytes of memory region 0, the benchmarks' working memory, in one block: INTERCORE_REGION_LEAST to
     * INTERCORE_REGION_MOST, rounded up to a multiple of 64; default 40960 */
    uint32_t region_bytes;
    /* Bytes of a second region in the other memory bank, up to INTERCORE_REGION_MOST, for two cores in two banks;
     * INTERCORE_NONE: no such region. Default 16384. It is left out if that bank has no such block, or if less than 32
     * KiB would be left for others. */
    uint32_t second_region_bytes;
    /* Bytes of the console task's stack: INTERCORE_CONSOLE_STACK_LEAST to INTERCORE_STACK_MOST; default 6144. The
     * program's own console runs on it. */
    uint32_t console_stack_bytes;
    /* Bytes of the stack of each task that a benchmark starts: INTERCORE_TASK_STACK_LEAST to INTERCORE_STACK_MOST;
     * default 4096. Creating a task is part of what is measured, so each stack comes from the heap when its task is
     * created. */
    uint32_t task_stack_bytes;
};

/* Register a workload and a transport of the program, at most eight of each, before Intercore starts: they are listed
 * as own:NAME, and by the transport's name. Return NULL, or a sentence with the reason of a refusal.
 * intercore_workload.h and transport.h describe them. */
struct intercore_workload;
struct ic_transport;
const char *intercore_add_workload(const char *name, const struct intercore_workload *own);
const char *intercore_add_transport(const struct ic_transport *transport);

/* Starts Intercore: a task of priority 1 on core 0 that serves the console, describes the target, and executes
 * commands. Both cores should be idle otherwise while it measures. `config` may be NULL, for all defaults.
 *
 * Until intercore_stop(), ESP-IDF's task watchdog, if it is on, is set to 60 s, as in the measurements of the published
 * tables, and only warns; and ESP-IDF's power management, if it is on, neither changes the cores' clock nor lets the
 * chip sleep.
 *
 * Allocates from the heap: samples, regions and the console task's stack, as in `config`, a control block for that task
 * (about 350 bytes), and the memory of the console's driver; with power management three of its locks, and with PSRAM
 * in use 128 KiB of it, if available. For some milliseconds also two tasks with 2 KiB of stack each. A benchmark
 * allocates its objects, mainly tasks, from the heap while it runs and frees them at its end.
 *
 * Returns NULL when the console is being served, else a sentence for a person: a size is out of its range, there is too
 * little memory, the console or the clock is not available, or Intercore is running already. Then nothing has changed,
 * and it may be called again; the sentence is valid until then. Call it from a task, on any core and of any priority;
 * it waits for about 100 ms. */
const char *intercore_start(const struct intercore_config *config);

/* Stops Intercore: waits until a running measurement has been aborted and the console's task has ended, frees all
 * memory from the heap, restores the task watchdog's configuration, and permits power management. Then Intercore may be
 * started again, also with other sizes. Static memory remains, less than 12 KiB. Has no effect if it is not running.
 * Call it from any task except Intercore's own. */
void intercore_stop(void);

/* Whether it is running */
bool intercore_is_running(void);

/* For a framework that calls one function of the program repeatedly, in a task pinned to a core: Arduino's loop(). The
 * benchmark contention then measures that loop; without these two calls a separate task replaces it.
 *
 * That task calls the first one once, before intercore_start(): false if there is no memory. The second one is the
 * function's only content: it waits, except during such a measurement. */
bool intercore_loop_open(void);
void intercore_loop(void);

#ifdef __cplusplus
}
#endif

#endif
