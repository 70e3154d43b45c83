/* Intercore as a component of an ESP-IDF or Arduino program: two calls, and a console to talk over. */
#ifndef INTERCORE_H
#define INTERCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A console: a serial line, or what stands for one. All functions are called by one task at a time, pinned to core 0 in
 * general, and get `context`. They may wait, but only by blocking: who spins takes time from what is measured. The
 * structure must stay as it is until intercore_stop() has returned. */
struct intercore_console {
    /* What it is, as the condition `console`, e.g. "UART0 by interrupt on core 0". */
    const char *name;
    /* Gets it ready: called once, on core 0, before all others. False if it cannot be had. May be NULL. */
    bool (*open)(void *context);
    /* Gives back what open() took. May be NULL. */
    void (*close)(void *context);
    /* Moves up to `size` bytes that came into `buffer`, waiting for the first one for `timeout_ms` at most (0: not at
     * all), and returns how many: 0 if none came. A character that came with an error is given as 0xFF. */
    size_t (*read)(void *context, uint8_t *buffer, size_t size, uint32_t timeout_ms);
    /* Sends all bytes and returns when the last has left, so that no interrupt of its own comes later. False if
     * nobody will ever receive them any more; a serial line never says so. */
    bool (*write)(void *context, const uint8_t *bytes, size_t size);
    /* The bit rates it can be switched to, ascending, and a 0 at the end; NULL where a rate has no meaning. */
    const uint32_t *rates;
    /* The rate at start: one of those, or 0. */
    uint32_t rate;
    /* Switches to one of `rates`. What write() was given has left before. NULL where `rates` is. */
    void (*set_rate)(void *context, uint32_t bits_per_second);
    void *context;
};

/* The ranges of the sizes below. */
#define INTERCORE_SAMPLES_LEAST 512U
#define INTERCORE_SAMPLES_MOST 32768U
#define INTERCORE_REGION_LEAST 4096U
#define INTERCORE_REGION_MOST 131072U
#define INTERCORE_CONSOLE_STACK_LEAST 5120U
#define INTERCORE_TASK_STACK_LEAST 3072U
#define INTERCORE_STACK_MOST 32768U

/* As a size that may be 0: none. */
#define INTERCORE_NONE UINT32_MAX

/* What is 0 or NULL is as the project's configuration says (menuconfig, Intercore), so {0} is all of that.
 *
 * The sizes are of memory that is taken from the heap, all of it internal; docs/esp32.md says what each benchmark
 * needs. With less, a benchmark offers smaller ranges (the command `list`) or is refused, in a sentence on the console.
 */
struct intercore_config {
    /* NULL: the console of the project's configuration, else UART0 at 115200 bit/s on the pins it has at start. */
    const struct intercore_console *console;
    /* Samples that one measurement can hold, 8 bytes each: INTERCORE_SAMPLES_LEAST to INTERCORE_SAMPLES_MOST; 8192
     * unless configured otherwise. */
    uint32_t samples;
    /* Bytes that benchmarks work on, memory region 0, in one piece: INTERCORE_REGION_LEAST to INTERCORE_REGION_MOST,
     * rounded up to a multiple of 64; 40960 unless configured otherwise. */
    uint32_t region_bytes;
    /* Bytes of a second region in the other bank of memory, up to INTERCORE_REGION_MOST, for what two cores do in two
     * banks; INTERCORE_NONE: no such region. 16384 unless configured otherwise. It is left out where that bank has no
     * such piece, and where less than 32 KiB would be left for others. */
    uint32_t second_region_bytes;
    /* Bytes of the console task's stack: INTERCORE_CONSOLE_STACK_LEAST to INTERCORE_STACK_MOST; 6144 unless configured
     * otherwise. A console of the program's own runs on it. */
    uint32_t console_stack_bytes;
    /* Bytes of the stack of each task that a benchmark starts: INTERCORE_TASK_STACK_LEAST to INTERCORE_STACK_MOST; 4096
     * unless configured otherwise. What makes a task measures its making, so each stack comes from the heap when its
     * task does. */
    uint32_t task_stack_bytes;
};

/* Add a workload and a transport of the program's own, eight of each at most, before Intercore starts: they are listed
 * as own:NAME, and by the transport's name. NULL, or in a sentence why not. intercore_workload.h says how to declare
 * the one, transport.h the other. */
struct intercore_workload;
struct ic_transport;
const char *intercore_add_workload(const char *name, const struct intercore_workload *own);
const char *intercore_add_transport(const struct ic_transport *transport);

/* Starts Intercore: a task of priority 1 on core 0 that serves the console, says what the target is, and carries out
 * what is asked for. Both cores should have nothing else to do while it measures. NULL as `config` is all by default.
 *
 * Until intercore_stop() ESP-IDF's task watchdog, if it is on, waits for 60 s, as it did in the measurements of the
 * published tables, and only warns; and ESP-IDF's power management, if it is on, neither changes the cores' clock nor
 * has the chip sleep.
 *
 * Takes from the heap: samples, regions and the console task's stack, as `config` says, a control block for that task
 * (some 350 bytes), and what the console's driver takes; with power management three locks of it, and with PSRAM in
 * use 128 KiB of it, if there are. For some milliseconds also two tasks with 2 KiB of stack each. What a benchmark
 * makes, tasks above all, it takes from the heap while it runs and gives back at its end.
 *
 * Returns NULL when the console is being served. Otherwise in a sentence why it is not, for a person: a size is out of
 * its range, there is too little memory, the console or the clock cannot be had, or it is running already. Then all is
 * as before, and it may be called again. The sentence stays as it is until then. To be called from a task, on any core
 * and of any priority; waits for some 100 ms. */
const char *intercore_start(const struct intercore_config *config);

/* Ends that: waits until a run that is under way has been aborted and the console's task is gone, gives everything that
 * was taken from the heap back to it, sets the task watchdog back to what the project's configuration says, and lets
 * power management go on. Then Intercore may be started again, with other sizes as well. What stays is static memory,
 * less than 12 KiB. Does nothing if it is not running. To be called from any task but Intercore's own. */
void intercore_stop(void);

/* Whether it is running. */
bool intercore_is_running(void);

/* For a framework that calls one function of the program over and over, in a task pinned to a core: Arduino's loop().
 * Then the benchmark contention measures that very loop; without these two a task of its own stands in.
 *
 * The first is called by that task, once, before intercore_start(): false if there is no memory. The second is all that
 * the function does: it waits, but for the time of such a measurement. */
bool intercore_loop_open(void);
void intercore_loop(void);

#ifdef __cplusplus
}
#endif

#endif
