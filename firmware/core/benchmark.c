#include "benchmark.h"

#include <string.h>

#include "port.h"
#include "samples.h"

static const struct ic_parameter common[IC_COMMON_COUNT] = {
    [IC_COMMON_SAMPLES] = {.name = "samples", .help = "repetitions", .min = 1},
    [IC_COMMON_DITHER] = {.name = "dither_us",
                          .help = "longest random delay before each timed window, in microseconds",
                          .min = 0,
                          .max = 1000000},
    [IC_COMMON_REST] = {.name = "rest_ms", .help = "rest between repetitions, in milliseconds", .max = 60000},
    [IC_COMMON_SEED] = {.name = "seed",
                        .help = "seed of dither and of every other random choice",
                        .max = UINT32_MAX,
                        .preset = 1},
};

const struct ic_benchmark *ic_benchmark_find(const char *name) {
    for (size_t i = 0; i < ic_benchmark_count; i++) {
        if (strcmp(ic_benchmarks[i]->name, name) == 0) {
            return ic_benchmarks[i];
        }
    }
    return NULL;
}

const struct ic_parameter *ic_benchmark_parameter(const struct ic_benchmark *benchmark, size_t index) {
    if (index < benchmark->parameter_count) {
        return &benchmark->parameters[index];
    }
    index -= benchmark->parameter_count;
    return index < IC_COMMON_COUNT ? &common[index] : NULL;
}

/* Returns the maximum of the parameter `samples`: the memory for samples, less the timestamp overhead's part, is
 * divided equally between the series of the benchmark. */
static uint32_t most_samples(const struct ic_benchmark *benchmark) {
    return (ic_samples_capacity() - IC_TIMESTAMP_OVERHEAD_PAIRS * port_core_count()) / benchmark->series_count;
}

uint32_t ic_benchmark_max(const struct ic_benchmark *benchmark, size_t index) {
    if (index == benchmark->parameter_count + IC_COMMON_SAMPLES) {
        return most_samples(benchmark);
    }
    return ic_parameter_max(ic_benchmark_parameter(benchmark, index));
}

uint32_t ic_benchmark_default(const struct ic_benchmark *benchmark, size_t index) {
    if (index == benchmark->parameter_count + IC_COMMON_SAMPLES) {
        uint32_t most = most_samples(benchmark);
        return benchmark->samples < most ? benchmark->samples : most;
    }
    if (index == benchmark->parameter_count + IC_COMMON_DITHER) {
        return 1000000U / port_tick_hz(); /* one kernel tick, so that every phase of the tick occurs */
    }
    return ic_parameter_default(ic_benchmark_parameter(benchmark, index));
}
