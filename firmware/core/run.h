/* What a benchmark works with while it measures one setting.
 *
 * A benchmark opens its series, does what must not be timed, and then:
 *
 *     while (ic_run_repeat(run)) {
 *         ic_run_dither(run);
 *         uint64_t start = port_clock();
 *         … the work …
 *         ic_run_sample(run, series, port_clock() - start);
 *         ic_run_check(run, result == expected);
 *     }
 */
#ifndef IC_RUN_H
#define IC_RUN_H

#include "benchmark.h"
#include "random.h"
#include "samples.h"
#include "settings.h"

/* Counters that travel in `end`; docs/protocol.md says what each means. */
struct ic_checks {
    uint32_t repetitions;
    uint32_t done;
    uint32_t checked;
    uint32_t wrong;
    uint32_t migrated;
    uint32_t migrations_requested;
    uint32_t migrations_done; /* of those requested */
    uint32_t lost;
    uint32_t recovered_doorbells;
    uint32_t repeated_turns; /* disturbed by the kernel's tick */
    uint64_t preempted;
};

struct ic_run {
    uint32_t id; /* of the answer */
    const struct ic_benchmark *benchmark;
    uint32_t values[IC_PARAMETERS_MAX]; /* in the order of ic_benchmark_parameter() */
    struct ic_checks checks;
    struct ic_random random;
    enum ic_clock clock;    /* whose ticks ic_run_series() is for */
    bool aborted;           /* somebody asked to stop, or the console has gone */
    uint32_t marked;        /* windows that the energy mark is high for: see ic_run_window(); 0: all repetitions */
    struct ic_error error;  /* why measure() returned false */
    uint64_t next_progress; /* common clock */
};

/* Makes the run ready to measure the current setting. */
void ic_run_prepare(struct ic_run *run, const struct ic_settings *settings, uint32_t id);

/* Whether the setting that the run is ready for can be measured; if not, `error` says why. */
bool ic_run_possible(const struct ic_run *run, struct ic_error *error);

/* Value of a parameter that every benchmark has. */
uint32_t ic_run_common(const struct ic_run *run, enum ic_common parameter);

/* Supplied by who has the run carried out, the console; a run calls it between repetitions. Reports progress now and
 * then and, if somebody wants to stop, sets run->aborted. True if it has sent something, which takes its time. */
bool ic_run_attend(struct ic_run *run);

/* Supplied likewise: takes further line ends that have come behind the command. By how fast the line is, they were
 * taken with it or not, and the first repetition of all would find more or less to do. */
void ic_run_settle(void);

/* To be called once, before anything is measured: lets the console settle, and waits for the phase of the kernel's tick
 * at which the run begins. */
void ic_run_begin(struct ic_run *run);

/* To be called before each repetition: attends to the console and rests as asked, and goes on at a phase of the
 * kernel's tick that the seed chooses if something was sent. False when all are done or somebody wants the run to stop.
 * From the first time that it is true to the time that it is false the energy mark is high, but low during a rest,
 * unless the benchmark has set run->marked. */
bool ic_run_repeat(struct ic_run *run);

/* To be called between the windows of a repetition that has several: rests as between repetitions. The energy mark is
 * low meanwhile, and behind it as before. It returns early when somebody wants the run to stop. */
void ic_run_rest(struct ic_run *run);

/* To be called right before (on) and right behind a timed window, where a repetition has windows of several kinds: the
 * energy mark is high for those of the kind that is marked. `kind` is at least 1. */
void ic_run_window(const struct ic_run *run, uint32_t kind, bool on);

/* Waits for a random time up to dither_us, busily, so that timed windows do not all begin at the same phase of the tick
 * and the core does not begin them fresh from sleep. */
void ic_run_dither(struct ic_run *run);

/* Opens a series in ticks of run->clock, if the caller does not change the unit, with room for one sample per
 * repetition. NULL, with run->error filled, if there is no room. */
struct ic_series *ic_run_series(struct ic_run *run, const char *name);

/* Records a sample, or counts it as lost. */
void ic_run_sample(struct ic_run *run, struct ic_series *series, int64_t ticks);

/* Counts a result of the work as right or wrong. */
void ic_run_check(struct ic_run *run, bool right);

#endif
