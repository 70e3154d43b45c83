/* The list of benchmarks where each core has a kernel of its own: those that mean something there, and why the others
 * do not. */
#include "benchmarks.h"

#define REFUSED(benchmark, text, why)                                                                                  \
    static const struct ic_benchmark benchmark = {                                                                     \
        .name = #benchmark, .summary = (text), .refused = "not applicable on AMP: " why}

REFUSED(contention, "who gets the processor of several tasks, pinned or not",
        "no kernel schedules both cores, so no task competes with those of the other core");
REFUSED(jitter, "how steady a periodic task is, also when it is moved about",
        "no kernel can move a task to the other core; by its own core alone it is a benchmark for one core");
REFUSED(api, "what kernel calls cost, alone and while the other core calls as well",
        "the two kernels share no lock, so calls of one do not wait for the other's");
REFUSED(rhealstone, "the six components of Rhealstone", "its objects belong to one kernel each");
REFUSED(threadmetric, "the eight counts of Thread-Metric", "its objects belong to one kernel each");
REFUSED(lock, "locks and counters handed over between cores",
        "the kernels share no lock; the port's own, between the cores, is not the benchmarks' to hold");

const struct ic_benchmark *const ic_benchmarks[] = {
    // clang-format off
    &ic_benchmark_speedup,
    &contention,
    &ic_benchmark_switch,
    &jitter,
    &ic_benchmark_irq,
    &api,
    &rhealstone,
    &threadmetric,
    &lock,
    &ic_benchmark_memory,
    &ic_benchmark_message,
    &ic_benchmark_clock,
    // clang-format on
};
const size_t ic_benchmark_count = sizeof ic_benchmarks / sizeof ic_benchmarks[0];
