/* The list of benchmarks, in the order in which `list` names them; everything else is made from it.
 *
 * SMP_AND_AMP(name) is for one that is measured under one kernel for all cores and with a kernel on each alike.
 * SMP_ONLY(name, summary, why) is for one that needs one kernel for all cores: elsewhere `list` has it with this
 * summary and refuses it with this reason. Each is the file bench/<name>.c, or those of the folder bench/<name>, and
 * defines ic_benchmark_<name>. */
#ifndef IC_BENCHMARKS_H
#define IC_BENCHMARKS_H

#include "benchmark.h"

// clang-format off
#define IC_BENCHMARKS(SMP_AND_AMP, SMP_ONLY)                                                                           \
    SMP_AND_AMP(speedup)                                                                                               \
    SMP_ONLY(contention, "who gets the processor of several tasks, pinned or not",                                     \
             "no kernel schedules both cores, so no task competes with those of the other core")                       \
    SMP_AND_AMP(switch)                                                                                                \
    SMP_ONLY(jitter, "how steady a periodic task is, also when it is moved about",                                     \
             "no kernel can move a task to the other core; by its own core alone it is a benchmark for one core")      \
    SMP_AND_AMP(irq)                                                                                                   \
    SMP_ONLY(api, "what kernel calls cost, alone and while the other core calls as well",                              \
             "the two kernels share no lock, so calls of one do not wait for the other's")                             \
    SMP_ONLY(rhealstone, "the six components of Rhealstone", "its objects belong to one kernel each")                  \
    SMP_ONLY(threadmetric, "the eight counts of Thread-Metric", "its objects belong to one kernel each")               \
    SMP_ONLY(hartstone, "deadlines that five periodic tasks miss as their load grows",                                 \
             "no kernel schedules both cores; by one of its cores alone it is a benchmark for one core")               \
    SMP_ONLY(lock, "locks and counters handed over between cores",                                                     \
             "the kernels share no lock; the port's own, between the cores, is not the benchmarks' to hold")           \
    SMP_AND_AMP(memory)                                                                                                \
    SMP_AND_AMP(message)                                                                                               \
    SMP_AND_AMP(clock)
// clang-format on

#define IC_BENCHMARK_DECLARED(name, ...) extern const struct ic_benchmark ic_benchmark_##name;
#define IC_BENCHMARK_LISTED(name, ...) &ic_benchmark_##name,

IC_BENCHMARKS(IC_BENCHMARK_DECLARED, IC_BENCHMARK_DECLARED)

#endif
