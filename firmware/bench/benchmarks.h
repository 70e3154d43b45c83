/* The benchmarks: one for each file in this folder. */
#ifndef IC_BENCHMARKS_H
#define IC_BENCHMARKS_H

#include "benchmark.h"

extern const struct ic_benchmark ic_benchmark_speedup;
extern const struct ic_benchmark ic_benchmark_clock;
extern const struct ic_benchmark ic_benchmark_api;
extern const struct ic_benchmark ic_benchmark_lock;
extern const struct ic_benchmark ic_benchmark_memory;

#endif
