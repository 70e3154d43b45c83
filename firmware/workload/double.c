/* A unit of the workload `double` is one step of a chain of square root, multiplication and division in double
 * precision, each of which needs the preceding result. fp.c does the same in single precision. Most small cores compute
 * double precision in software, among them Cortex-M0+, Cortex-M4F, Xtensa LX6 and LX7. */
#include <math.h>

#include "workloads.h"

/* As in fp.c, the step x -> sqrt(x) * FACTOR / DIVISOR maps START exactly to START if the three operations round as
 * IEEE 754 demands. So every step is checked. */
#define FACTOR 3.7
#define DIVISOR 1.3
#define START 0x1.03380c1e4bbd6p+3
#define START_HIGH 0x40203380U /* the two halves of START's bits */
#define START_LOW 0xc1e4bbd6U

static uint32_t work(uint32_t first, uint32_t count) {
    (void)first;
    volatile double x = START;
    volatile double factor = FACTOR;
    volatile double divisor = DIVISOR;
    uint32_t checksum = 0;
    for (uint32_t i = 0; i < count; i++) {
        x = sqrt(x);
        x = x * factor;
        x = x / divisor;
        union {
            double value;
            uint32_t halves[2]; /* in either order: the sum is the same */
        } result = {.value = x};
        checksum += result.halves[0] + result.halves[1];
    }
    return checksum;
}

IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    (void)first;
    return count * (START_HIGH + START_LOW);
}

const struct ic_workload ic_workload_double = {.work = work, .expected = expected};
