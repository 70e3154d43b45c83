/* A unit of the workload `integer` is one step of a linear congruential generator, a 32-bit multiplication and an
 * addition that need the preceding result. */
#include "workloads.h"

/* The "quick and dirty" generator of Numerical Recipes; any odd multiplier would do */
#define MULTIPLIER 1664525U
#define INCREMENT 1013904223U
#define START 1U

static uint32_t work(uint32_t first, uint32_t count) {
    (void)first;
    /* Volatile, because a compiler may combine several steps with constants into one: clang 14 makes one multiplication
     * out of eight. */
    volatile uint32_t multiplier = MULTIPLIER;
    uint32_t x = START;
    for (uint32_t i = 0; i < count; i++) {
        x = x * multiplier + INCREMENT;
    }
    return x;
}

/* Computes `count` steps at once: repeatedly combines the step x -> a x + c with itself, which doubles the number of
 * steps. */
IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    (void)first;
    uint32_t a = MULTIPLIER;
    uint32_t c = INCREMENT;
    uint32_t x = START;
    for (; count != 0; count >>= 1U) {
        if ((count & 1U) != 0) {
            x = x * a + c;
        }
        c = c * (a + 1U);
        a = a * a;
    }
    return x;
}

const struct ic_workload ic_workload_integer = {.work = work, .expected = expected};
