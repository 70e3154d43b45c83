/* Works that are wrong, each in a way of its own. */
#include <intercore_workload.h>

#define UNITS 16U

/* Depends on the order: each unit goes on from what the one before has left. */
static uint32_t chain;

uint32_t ordered(uint32_t first, uint32_t count) {
    for (uint32_t unit = first; unit != first + count; unit++) {
        chain = chain * 31U + unit;
    }
    return chain;
}

INTERCORE_WORKLOAD(ordered, .units = UNITS)

/* Writes one unit more than it was given, with what belongs there. */
INTERCORE_OUTPUT(row, uint32_t, UNITS, 2);

void beyond(uint32_t first, uint32_t count) {
    for (uint32_t unit = first; unit != first + count + 1U; unit++) {
        row.unit[unit % UNITS][0] = unit % UNITS;
        row.unit[unit % UNITS][1] = 7U;
    }
}

INTERCORE_WORKLOAD_TO(beyond, row)

/* Writes behind the end of the buffer. */
INTERCORE_OUTPUT(column, uint32_t, UNITS, 1);

void outside(uint32_t first, uint32_t count) {
    for (uint32_t unit = first; unit != first + count; unit++) {
        column.unit[unit % UNITS][0] = unit % UNITS;
    }
    volatile uint32_t *end = &column.unit[0][0] + UNITS;
    *end = 0;
}

INTERCORE_WORKLOAD_TO(outside, column)

/* Is right on one core, and not on two: the units share what one of them is working with. */
INTERCORE_OUTPUT(result, uint32_t, UNITS, 1);
static volatile uint32_t scratch;

void together(uint32_t first, uint32_t count) {
    for (uint32_t unit = first; unit != first + count; unit++) {
        scratch = 0;
        for (uint32_t i = 0; i < 200U; i++) {
            scratch = scratch + unit % UNITS + 1U;
        }
        result.unit[unit % UNITS][0] = scratch;
    }
}

INTERCORE_WORKLOAD_TO(together, result)
