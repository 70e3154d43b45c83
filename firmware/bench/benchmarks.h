/* The list of benchmarks, in the order in which the command `list` shows them. registry.c and registry_amp.c make the
 * table of benchmarks from this list.
 *
 * SMP_AND_AMP(name): a benchmark that can be measured with one kernel for all cores (SMP), and with a kernel on each
 * core (AMP). SMP_ONLY(name, summary, why): a benchmark that needs one kernel for all cores. On AMP, `list` shows its
 * `summary`, and a measurement is refused with the reason `why`. Each benchmark is the file bench/<name>.c, or the
 * files of the folder bench/<name>, and defines ic_benchmark_<name>.
 *
 * A program may be without some of them, for lack of memory or of what they measure. For each of these its build
 * defines IC_WITHOUT_<name> as IC_LEFT_OUT("<name>", "<reason>"); ic_without() of portable.cmake does. `list` then
 * shows the name, and a measurement is refused with the reason. */
#ifndef IC_BENCHMARKS_H
#define IC_BENCHMARKS_H

#include "benchmark.h"
#include "port.h" /* for what port_types.h leaves out */

// clang-format off
#define IC_BENCHMARKS(SMP_AND_AMP, SMP_ONLY)                                                                           \
    SMP_AND_AMP(speedup)                                                                                               \
    SMP_ONLY(contention, "how pinned and unpinned tasks share the cores",                                              \
             "no kernel schedules both cores, so tasks of two cores do not compete")                                   \
    SMP_AND_AMP(switch)                                                                                                \
    SMP_AND_AMP(launch)                                                                                                \
    SMP_ONLY(jitter, "jitter of a periodic task, also when it is migrated",                                            \
             "no kernel can migrate a task to the other core")                                                         \
    SMP_AND_AMP(irq)                                                                                                   \
    SMP_ONLY(api, "times of kernel calls, alone and while the other core calls",                                       \
             "the two kernels share no lock, so calls of one do not wait for the other's")                             \
    SMP_ONLY(rhealstone, "the six components of Rhealstone", "its objects belong to one kernel each")                  \
    SMP_ONLY(threadmetric, "the eight counts of Thread-Metric", "its objects belong to one kernel each")               \
    SMP_ONLY(hartstone, "deadlines that five periodic tasks miss as their load grows",                                 \
             "no kernel schedules both cores")                                                                         \
    SMP_ONLY(lock, "lock hand-off and contended locks",                                                                \
             "the kernels share no lock that a benchmark may hold")                                                    \
    SMP_AND_AMP(memory)                                                                                                \
    SMP_AND_AMP(message)                                                                                               \
    SMP_AND_AMP(clock)                                                                                                 \
    SMP_AND_AMP(outage)
// clang-format on

#define IC_BENCHMARK_DECLARED(name, ...) extern const struct ic_benchmark ic_benchmark_##name;
/* The second argument: the stand-in if IC_WITHOUT_<name> is defined, which then is two arguments, else the benchmark */
#define IC_BENCHMARK_LISTED(name, ...) IC_SECOND(IC_WITHOUT_##name, &ic_benchmark_##name, ),
#define IC_SECOND(...) IC_SECOND_OF(__VA_ARGS__)
#define IC_SECOND_OF(first, second, ...) second
#define IC_LEFT_OUT(which, why)                                                                                        \
    0, (&(const struct ic_benchmark){.name = (which), .summary = "left out of this program", .refused = (why)})

IC_BENCHMARKS(IC_BENCHMARK_DECLARED, IC_BENCHMARK_DECLARED)

#endif
