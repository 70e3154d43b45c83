/* The list of benchmarks: one line for each file in this folder. */
#include "benchmarks.h"

const struct ic_benchmark *const ic_benchmarks[] = {
    // clang-format off
    &ic_benchmark_speedup,
    &ic_benchmark_contention,
    &ic_benchmark_switch,
    &ic_benchmark_jitter,
    &ic_benchmark_irq,
    &ic_benchmark_api,
    &ic_benchmark_rhealstone,
    &ic_benchmark_threadmetric,
    &ic_benchmark_lock,
    &ic_benchmark_memory,
    &ic_benchmark_message,
    &ic_benchmark_clock,
    // clang-format on
};
const size_t ic_benchmark_count = sizeof ic_benchmarks / sizeof ic_benchmarks[0];
