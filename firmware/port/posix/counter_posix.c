#include "counter_posix.h"

#include "port.h"

#define PPM 1e6
/* The counter's rate is measured for 1/200 s (5 ms). The rest of the start-up takes about a tenth of that time. */
#define WINDOWS_PER_S 200U
/* Number of attempts to read the clock, the counter and the clock again; the shortest attempt is used. An undisturbed
 * attempt takes about 50 ns. An interrupt, or another task that takes the core, lengthens an attempt, but not all 16,
 * which take a microsecond together. */
#define BRACKETS 16U

/* Width of the counter in bits. On Arm, CNTVCT_EL0 may have only 56 bits; it then wraps after 40 years or more (Arm ARM
 * D12.1.2). */
#if defined(__x86_64__) || defined(__aarch64__)
#define BITS 64U
#else
#define BITS 0U
#endif

/* A reading of the counter, and the readings of the common clock before and after it */
struct bracket {
    uint64_t before;
    uint64_t cycles;
    uint64_t after;
};

static uint64_t cycles_hz;
static uint32_t uncertainty_ppm;

/* Each variant of port_cycles() begins with a barrier: without it the processor may read the counter before preceding
 * loads are complete (Intel SDM 4.3, RDTSC; Arm ARM D12.2.1). */
#if defined(__x86_64__)
uint64_t port_cycles(void) {
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}

const char *counter_posix_name(void) { return "TSC"; }
#elif defined(__aarch64__)
uint64_t port_cycles(void) {
    uint64_t count;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count)::"memory");
    return count;
}

const char *counter_posix_name(void) { return "CNTVCT_EL0"; }
#else
uint64_t port_cycles(void) { return port_clock(); }

const char *counter_posix_name(void) { return "CLOCK_MONOTONIC"; }
#endif

uint64_t port_cycles_hz(void) { return cycles_hz; }

uint32_t port_cycles_bits(void) { return BITS; }

uint32_t counter_posix_uncertainty_ppm(void) { return uncertainty_ppm; }

static uint64_t width(const struct bracket *bracket) { return bracket->after - bracket->before; }

static struct bracket tightest_bracket(void) {
    struct bracket tightest = {.after = UINT64_MAX};
    for (uint32_t i = 0; i < BRACKETS; i++) {
        struct bracket bracket;
        bracket.before = port_clock();
        bracket.cycles = port_cycles();
        bracket.after = port_clock();
        if (width(&bracket) < width(&tightest)) {
            tightest = bracket;
        }
    }
    return tightest;
}

/* Computes the counter's rate from two brackets (struct bracket), and a bound on its error. Within a bracket the
 * counter was read halfway between the two readings of the clock, give or take half their difference. In addition each
 * reading may be up to one unit too small: readings are rounded down to whole nanoseconds or whole counts. */
void counter_posix_start(void) {
    struct bracket first = tightest_bracket();
    while (port_clock() - first.after < port_clock_hz() / WINDOWS_PER_S) {
    }
    struct bracket last = tightest_bracket();
    double cycles = (double)(last.cycles - first.cycles);
    uint64_t twice = last.before + last.after - first.before - first.after;
    uint64_t off = width(&first) + width(&last) + 2U; /* largest possible error of `twice` */
    cycles_hz = (uint64_t)(2.0 * cycles * (double)port_clock_hz() / (double)twice + 0.5);
    uncertainty_ppm = (uint32_t)(PPM * (double)off / (double)(twice - off) + PPM * 2.0 / cycles) + 1U;
}
