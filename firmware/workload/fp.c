/* A unit of the workload `fp` is one step of a chain of square root, multiplication and division in single precision,
 * each of which needs the preceding result. Quach & Nguyen (2026) use the same three operations, also on volatile
 * operands, but do not publish their number, order or precision. */
#include <math.h>

#include "workloads.h"

/* With these two constants the step x -> sqrt(x) * FACTOR / DIVISOR maps START exactly to START if the three operations
 * round as IEEE 754 demands. So all steps take the same time, and every single result can be checked. Every result is
 * part of the checksum: the next square root halves an error of one unit in the last place, so the last result alone
 * might not show the error. */
#define FACTOR 3.7F
#define DIVISOR 1.3F
#define START 0x1.03380cp+3F
#define START_BITS 0x41019C06U

static uint32_t work(uint32_t first, uint32_t count) {
    (void)first;
    volatile float x = START;
    volatile float factor = FACTOR;
    volatile float divisor = DIVISOR;
    uint32_t checksum = 0;
    for (uint32_t i = 0; i < count; i++) {
        x = sqrtf(x);
        x = x * factor;
        x = x / divisor;
        union {
            float value;
            uint32_t bits;
        } result = {.value = x}; /* not memcpy(): with ESP-IDF's flags it is a call into the ROM */
        checksum += result.bits;
    }
    return checksum;
}

IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    (void)first;
    return count * START_BITS;
}

const struct ic_workload ic_workload_fp = {.work = work, .expected = expected};
