/* Intercore as a component of an ESP-IDF or Arduino program: functions to start and stop it, and its console */
#ifndef INTERCORE_H
#define INTERCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A console: a serial line or a substitute. Its functions are called by one task at a time, usually pinned to core 0,
 * and are given `context`. With the load that prints (jitter, load_work=uart), write() is called by tasks on any core,
 * too. When the functions wait they must block: a wait that spins takes time from the measurement. The structure must
 * not change until intercore_stop() has returned. */
struct intercore_console {
    /* Description of the console, for the condition `console`, e.g. "UART0 by interrupt on core 0" */
    const char *name;
    /* Prepares the console. Called once, on core 0, before the other functions. Returns false if the console is not
     * available. May be NULL. */
    bool (*open)(void *context);
    /* Releases what open() has taken. May be NULL. */
    void (*close)(void *context);
    /* Waits at most `timeout_ms` for the first byte (0: does not wait), and moves up to `size` received bytes into
     * `buffer`. Returns their number, 0 if none came. A character received with an error must be replaced by 0xFF. */
    size_t (*read)(void *context, uint8_t *buffer, size_t size, uint32_t timeout_ms);
    /* Sends all bytes, and returns when the last one has left, so that no interrupt of the console comes later and
     * disturbs a measurement. Returns false if the other end has gone; a serial line never returns false. */
    bool (*write)(void *context, const uint8_t *bytes, size_t size);
    /* The available bit rates in ascending order, ended by 0; NULL if the console has no bit rate */
    const uint32_t *rates;
    /* The bit rate at start: one of `rates`, or 0 if `rates` is NULL */
    uint32_t rate;
    /* Switches to one of `rates`. It is called only when all output of write() has been sent, so it need not wait. NULL
     * if `rates` is NULL. */
    void (*set_rate)(void *context, uint32_t bits_per_second);
    void *context;
};

/* The smallest and largest values of the sizes in struct intercore_config */
#define INTERCORE_SAMPLES_LEAST 512U
#define INTERCORE_SAMPLES_MOST 32768U
#define INTERCORE_REGION_LEAST 4096U
#define INTERCORE_REGION_MOST 131072U
#define INTERCORE_CONSOLE_STACK_LEAST 5120U
#define INTERCORE_TASK_STACK_LEAST 3072U
#define INTERCORE_STACK_MOST 32768U

/* Value of a size in struct intercore_config that means "none", where that is allowed (0 means the default) */
#define INTERCORE_NONE UINT32_MAX

/* Members that are 0 or NULL take their values from the project's configuration (menuconfig, Intercore). So {0} takes
 * everything from there.
 *
 * All sizes are of internal memory, allocated from the heap. docs/esp32.md lists what each benchmark needs. With less
 * memory, a benchmark has smaller ranges of its parameters (the command `list` shows them) or is refused, with a
 * sentence on the console. */
struct intercore_config {
    /* NULL: the console that the project's configuration selects. Without such a configuration, that is UART0 at 115200
     * bit/s on its pins at start. */
    const struct intercore_console *console;
    /* Number of samples that one measurement can hold, 8 bytes each: INTERCORE_SAMPLES_LEAST to INTERCORE_SAMPLES_MOST,
     * default 8192 */
    uint32_t samples;
    /* Bytes of memory region 0, the working memory of the benchmarks, in one block: INTERCORE_REGION_LEAST to
     * INTERCORE_REGION_MOST, rounded up to a multiple of 64, default 40960 */
    uint32_t region_bytes;
    /* Bytes of a second memory region in the other memory bank, so that two cores can use two banks: up to
     * INTERCORE_REGION_MOST, default 16384; INTERCORE_NONE for no such region. The region is also left out if that bank
     * has no free block of this size, or if less than 32 KiB of the heap would remain free. */
    uint32_t second_region_bytes;
    /* Bytes of the console task's stack: INTERCORE_CONSOLE_STACK_LEAST to INTERCORE_STACK_MOST, default 6144. The
     * functions of the program's own console also run on this stack. */
    uint32_t console_stack_bytes;
    /* Bytes of the stack of each task that a benchmark starts: INTERCORE_TASK_STACK_LEAST to INTERCORE_STACK_MOST,
     * default 4096. The console's write() may run on this stack, too. Creating a task is part of what is measured, so
     * each stack comes from the heap when its task is created. */
    uint32_t task_stack_bytes;
};

/* Register a workload or a transport of the program, at most eight of each, before Intercore starts. A workload is
 * listed as own:NAME, a transport by its own name. Both functions return NULL, or a sentence with the reason for a
 * refusal. intercore_workload.h and transport.h describe what to register. */
struct intercore_workload;
struct ic_transport;
const char *intercore_add_workload(const char *name, const struct intercore_workload *own);
const char *intercore_add_transport(const struct ic_transport *transport);

/* Starts Intercore: a task of priority 1 on core 0, which serves the console, describes the target and executes
 * commands. While it measures, both cores should have nothing else to do. `config` may be NULL, for all defaults.
 *
 * Until intercore_stop(), ESP-IDF's task watchdog, if it is on, is set to 60 s, as in the published measurements that
 * Intercore repeats, and only warns. ESP-IDF's power management, if it is on, neither changes the cores' clock nor lets
 * the chip sleep.
 *
 * Memory from the heap: the samples, the regions and the console task's stack, all as in `config`; a control block for
 * that task (about 350 bytes); the memory of the console's driver; three power management locks if power management is
 * on; and, if PSRAM is in use and has room, 128 KiB of it. For a few milliseconds there are also two tasks with 2 KiB
 * of stack each. A benchmark allocates its objects, mainly tasks, from the heap while it runs, and frees them at its
 * end.
 *
 * Returns NULL when the console is being served. Otherwise it returns a sentence for a person: a size is out of its
 * range, there is too little memory, the console or the clock is not available, or Intercore is already running. Then
 * nothing has changed, and the function may be called again; the sentence is valid until that call. Call it in a task
 * on any core and of any priority. It waits for about 100 ms. */
const char *intercore_start(const struct intercore_config *config);

/* Stops Intercore. Waits until a running measurement has been aborted and the console task has ended. Frees all memory
 * from the heap, restores the task watchdog's configuration, and permits power management. Intercore may then be
 * started again, also with other sizes. Static memory, less than 12 KiB, remains. Has no effect if Intercore is not
 * running. Call it in any task except Intercore's own. */
void intercore_stop(void);

/* Whether Intercore is running */
bool intercore_is_running(void);

/* For a framework that calls one function of the program repeatedly, in a task pinned to a core, as Arduino calls
 * loop(). With these two functions the benchmark `contention` measures that loop; without them a separate task replaces
 * it.
 *
 * The framework's task calls intercore_loop_open() once, before intercore_start(); it returns false if there is no
 * memory. After that the framework's function calls intercore_loop() and nothing else. intercore_loop() waits, except
 * during a measurement of the loop. */
bool intercore_loop_open(void);
void intercore_loop(void);

#ifdef __cplusplus
}
#endif

#endif
