/* The registry of benchmarks, which is made from the list in bench/benchmarks.h. */
#ifndef IC_BENCHMARK_H
#define IC_BENCHMARK_H

#include "parameter.h"
#include "samples.h"
#include "text.h"

struct ic_run;

struct ic_benchmark {
    /* What a user types after `run`. */
    const char *name;
    /* One line: what is measured, from when to when. */
    const char *summary;
    /* Its own parameters; those that all benchmarks share (run.h) are added to them. */
    const struct ic_parameter *parameters;
    size_t parameter_count;
    /* Default number of repetitions; where there is memory for fewer, as many as there is memory for. */
    uint32_t samples;
    /* Series that take one sample per repetition, at least 1: they share the memory for samples. */
    uint32_t series_count;
    /* Whose ticks its samples and the cost of looking are in the current setting; NULL: the common clock's. */
    enum ic_clock (*clock)(const struct ic_run *run);
    /* If not NULL: why it cannot be measured on this target whatever the setting is, as a sentence's end ("not
     * applicable on AMP: one kernel …"). Then it has nothing of what follows, and no parameters. */
    const char *refused;
    /* If not NULL: whether the current setting can be measured at all; if not, `error` says why. It is asked before
     * measure(), and by the command `check` without a measurement: it looks at the values alone and changes nothing.
     * What shows only on the way, such as memory that is used up, measure() says. */
    bool (*possible)(const struct ic_run *run, struct ic_error *error);
    /* Takes the measurement as run.h describes. False, with run->error filled, if it could not be taken at all. */
    bool (*measure)(struct ic_run *run);
    /* If not NULL: what was measured, in words for who types commands, such as a table that is published, in place of
     * the one that every benchmark has (summary.h, which also says how it is asked). */
    bool (*tell)(const struct ic_run *run, uint32_t index, struct ic_text *line);
};

extern const struct ic_benchmark *const ic_benchmarks[];
extern const size_t ic_benchmark_count;

/* The benchmark of that name, or NULL. */
const struct ic_benchmark *ic_benchmark_find(const char *name);

/* All parameters of a benchmark, its own first: the one with this index, from 0 up; NULL beyond the last. */
const struct ic_parameter *ic_benchmark_parameter(const struct ic_benchmark *benchmark, size_t index);

/* Largest value and default of the parameter with this index. */
uint32_t ic_benchmark_max(const struct ic_benchmark *benchmark, size_t index);
uint32_t ic_benchmark_default(const struct ic_benchmark *benchmark, size_t index);

/* Parameters that every benchmark has, behind its own. */
enum ic_common { IC_COMMON_SAMPLES, IC_COMMON_DITHER, IC_COMMON_REST, IC_COMMON_SEED, IC_COMMON_COUNT };

/* Samples that every measurement takes on each core, besides its own, for the cost of looking (timestamp_overhead.h). */
#define IC_TIMESTAMP_OVERHEAD_PAIRS 32U

/* Own and common parameters together. */
#define IC_PARAMETERS_MAX 16U

#endif
