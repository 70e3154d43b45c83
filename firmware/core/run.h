/* The interface between a benchmark and the run of one setting (one combination of parameter values).
 *
 * A benchmark opens its series, prepares what must not be timed, and then:
 *
 *     while (ic_run_repeat(run)) {
 *         ic_run_dither(run);
 *         uint64_t start = port_clock();
 *         … the work …
 *         ic_run_sample(run, series, port_clock() - start);
 *         ic_run_check(run, result == expected);
 *     } */
#ifndef IC_RUN_H
#define IC_RUN_H

#include "benchmark.h"
#include "random.h"
#include "samples.h"
#include "settings.h"

/* Counters sent in the line `end` (docs/protocol.md) */
struct ic_checks {
    uint32_t repetitions;
    uint32_t done;
    uint32_t checked;
    uint32_t wrong;
    uint32_t migrated;
    uint32_t migrations_requested;
    uint32_t migrations_done; /* how many of the requested migrations happened */
    uint32_t lost;
    uint32_t recovered_doorbells;
    uint32_t repeated_turns; /* benchmark `switch`: turns (signal and wake-up) that a kernel tick disturbed */
    uint64_t preempted;
};

struct ic_run {
    uint32_t id; /* id of the answer */
    const struct ic_benchmark *benchmark;
    uint32_t values[IC_PARAMETERS_MAX]; /* in the order of ic_benchmark_parameter() */
    struct ic_checks checks;
    struct ic_random random;
    enum ic_clock clock;    /* clock of the series that ic_run_series() opens */
    bool aborted;           /* by the command `abort`, or because the console has gone */
    uint32_t marked;        /* kind of window during which the mark pin is high (ic_run_window()); 0: high throughout */
    struct ic_error error;  /* why measure() returned false */
    uint64_t next_progress; /* when to report progress next, on the common clock */
};

/* Prepares the run for the current setting of `settings`. */
void ic_run_prepare(struct ic_run *run, const struct ic_settings *settings, uint32_t id);

/* Returns whether the current setting can be measured; if not, sets `error`. */
bool ic_run_possible(const struct ic_run *run, struct ic_error *error);

/* Returns the value, in the current setting, of a parameter that every benchmark has. */
uint32_t ic_run_common(const struct ic_run *run, enum ic_common parameter);

/* Callback, implemented by the console, which a run calls between repetitions. Reports progress at intervals and, on
 * `abort`, sets run->aborted. Returns true if it has sent a line, which takes time and so shifts the next repetition
 * within the kernel tick's period. */
bool ic_run_attend(struct ic_run *run);

/* Callback, implemented by the console: reads line ends that may still follow the command, such as the LF after a CR.
 * The time when they arrive depends on the bit rate, but the first repetition must not depend on it. */
void ic_run_settle(void);

/* Calls ic_run_settle(), and then waits for a moment within the kernel tick's period that the parameter `seed` chooses.
 * Call it once, before anything is measured. */
void ic_run_begin(struct ic_run *run);

/* Call it before each repetition: serves the console, and rests for rest_ms. If it has sent a line, it waits for a
 * moment within the kernel tick's period that the parameter `seed` chooses. Returns false when all repetitions are
 * done, or on `abort`. The mark pin is high from the first return of true until the return of false, except during a
 * rest. A benchmark that sets run->marked controls the pin itself (ic_run_window()). */
bool ic_run_repeat(struct ic_run *run);

/* Call it between the timed windows of a repetition: rests for rest_ms, as between repetitions. The mark pin is low
 * during the rest, and afterwards as it was before. Returns early on `abort`. */
void ic_run_rest(struct ic_run *run);

/* For benchmarks whose repetitions have several kinds of timed windows: call it with `on` true immediately before each
 * window, and with `on` false immediately after it. The mark pin is high during the windows whose `kind`, at least 1,
 * is run->marked. */
void ic_run_window(const struct ic_run *run, uint32_t kind, bool on);

/* Busy-waits for a random time of up to dither_us, so that timed windows do not all begin at the same phase of the
 * tick, nor right after the core has woken from sleep. */
void ic_run_dither(struct ic_run *run);

/* Opens a series in ticks of run->clock, unless the caller changes the unit, with room for one sample per repetition.
 * Returns NULL, with run->error set, if there is no room. */
struct ic_series *ic_run_series(struct ic_run *run, const char *name);

/* Records a sample, or counts it as lost if the series is full. */
void ic_run_sample(struct ic_run *run, struct ic_series *series, int64_t ticks);

/* Counts a result of the benchmark's work as right or wrong. */
void ic_run_check(struct ic_run *run, bool right);

#endif
