/* The registry of benchmarks, built from the list in bench/benchmarks.h. */
#ifndef IC_BENCHMARK_H
#define IC_BENCHMARK_H

#include "parameter.h"
#include "samples.h"
#include "text.h"

struct ic_run;

struct ic_benchmark {
    /* Name, as typed after `run` */
    const char *name;
    /* One line for people: what is measured, from which event to which event */
    const char *summary;
    /* Parameters of this benchmark only. The parameters of all benchmarks (enum ic_common) follow them. */
    const struct ic_parameter *parameters;
    size_t parameter_count;
    /* Default number of repetitions; fewer if the memory for samples is too small for them */
    uint32_t samples;
    /* Number of series that get one sample per repetition, at least 1. They share the memory for samples. */
    uint32_t series_count;
    /* Returns the clock that the samples and the timestamp overhead use with the current parameter values. NULL: they
     * use the common clock */
    enum ic_clock (*clock)(const struct ic_run *run);
    /* If not NULL, the benchmark is not available on this target, whatever its parameters. The text is the reason, as
     * the end of a sentence ("not applicable on AMP: no kernel …"). Then the members below are unset, and there are no
     * parameters. */
    const char *refused;
    /* If not NULL: returns whether the current setting (combination of parameter values) can be measured; if not, sets
     * `error`. Called before measure(), and by the command `check`. It looks at the values only and changes nothing
     * else. measure() reports failures that show only at run time, such as lack of memory. */
    bool (*possible)(const struct ic_run *run, struct ic_error *error);
    /* Measures the current setting, as run.h describes. Returns false, with run->error set, if the measurement
     * failed. */
    bool (*measure)(struct ic_run *run);
    /* If not NULL: prints the result for a person at the console, in place of ic_summary_tell(). A benchmark that
     * reproduces a published table prints that table here. For the arguments see ic_summary_tell(). */
    bool (*tell)(const struct ic_run *run, uint32_t index, struct ic_text *line);
};

extern const struct ic_benchmark *const ic_benchmarks[];
extern const size_t ic_benchmark_count;

/* Returns the benchmark of that name, or NULL. */
const struct ic_benchmark *ic_benchmark_find(const char *name);

/* Returns the parameter with this index: first the parameters of this benchmark only, then those of all benchmarks.
 * NULL beyond the last. */
const struct ic_parameter *ic_benchmark_parameter(const struct ic_benchmark *benchmark, size_t index);

/* Return the largest permitted value, and the default, of the parameter with this index. */
uint32_t ic_benchmark_max(const struct ic_benchmark *benchmark, size_t index);
uint32_t ic_benchmark_default(const struct ic_benchmark *benchmark, size_t index);

/* Parameters that every benchmark has, listed after the parameters of this benchmark only */
enum ic_common { IC_COMMON_SAMPLES, IC_COMMON_DITHER, IC_COMMON_REST, IC_COMMON_SEED, IC_COMMON_COUNT };

/* Number of samples of the timestamp overhead on each core, in every measurement (timestamp_overhead.h) */
#define IC_TIMESTAMP_OVERHEAD_PAIRS 32U

/* Maximum number of parameters of a benchmark, including those that every benchmark has */
#define IC_PARAMETERS_MAX 16U

#endif
