/* A unit is one step of a linear congruential generator: a 32-bit multiplication and an addition in a chain. */
#include "workloads.h"

/* The "quick and dirty" generator of Numerical Recipes; any odd multiplier would do */
#define MULTIPLIER 1664525U
#define INCREMENT 1013904223U
#define START 1U

static uint32_t work(uint32_t first, uint32_t count) {
    (void)first;
    /* Volatile, because with constants a compiler may combine steps: clang 14 makes one multiplication out of eight. */
    volatile uint32_t multiplier = MULTIPLIER;
    uint32_t x = START;
    for (uint32_t i = 0; i < count; i++) {
        x = x * multiplier + INCREMENT;
    }
    return x;
}

/* Jumps `count` steps at once: the step x -> a x + c is composed with itself by repeated squaring. */
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
