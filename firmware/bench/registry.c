/* The registry of benchmarks on SMP (one kernel for all cores): the whole list */
#include "benchmarks.h"

const struct ic_benchmark *const ic_benchmarks[] = {IC_BENCHMARKS(IC_BENCHMARK_LISTED, IC_BENCHMARK_LISTED)};
const size_t ic_benchmark_count = sizeof ic_benchmarks / sizeof ic_benchmarks[0];
