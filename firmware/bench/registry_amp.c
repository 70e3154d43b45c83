/* The registry of benchmarks on AMP (a kernel on each core): the benchmarks that can be measured there, and the others
 * with the reason why they cannot */
#include "benchmarks.h"

#define NOTHING(name)
#define REFUSAL(benchmark, text, why)                                                                                  \
    static const struct ic_benchmark refused_##benchmark = {                                                           \
        .name = #benchmark, .summary = (text), .refused = "not applicable on AMP: " why};
#define REFUSED(benchmark, text, why) &refused_##benchmark,

IC_BENCHMARKS(NOTHING, REFUSAL)

const struct ic_benchmark *const ic_benchmarks[] = {IC_BENCHMARKS(IC_BENCHMARK_LISTED, REFUSED)};
const size_t ic_benchmark_count = sizeof ic_benchmarks / sizeof ic_benchmarks[0];
