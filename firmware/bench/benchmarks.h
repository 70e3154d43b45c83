/* The benchmarks: one for each file in this folder. */
#ifndef IC_BENCHMARKS_H
#define IC_BENCHMARKS_H

#include "benchmark.h"

extern const struct ic_benchmark ic_benchmark_speedup;
extern const struct ic_benchmark ic_benchmark_contention;
extern const struct ic_benchmark ic_benchmark_switch;
extern const struct ic_benchmark ic_benchmark_jitter;
extern const struct ic_benchmark ic_benchmark_irq;
extern const struct ic_benchmark ic_benchmark_api;
extern const struct ic_benchmark ic_benchmark_rhealstone;
extern const struct ic_benchmark ic_benchmark_threadmetric;
extern const struct ic_benchmark ic_benchmark_lock;
extern const struct ic_benchmark ic_benchmark_memory;
extern const struct ic_benchmark ic_benchmark_message;
extern const struct ic_benchmark ic_benchmark_clock;

#endif
