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

/* Is right unit by unit, and not in a call of several: from the sixth on, a unit knows whether it is its call's first. */
uint32_t behind(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        sum += unit % UNITS >= 5U && unit != first ? 3U : 1U;
    }
    return sum;
}

INTERCORE_WORKLOAD(behind, .units = UNITS)

/* Is right on one core, and not on two: what all units add up in is one variable. */
static volatile uint32_t shared_sum;

uint32_t mixed(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        shared_sum = 0;
        for (uint32_t i = 0; i < 200U; i++) {
            shared_sum = shared_sum + unit % UNITS + 1U;
        }
        sum += shared_sum;
    }
    return sum;
}

INTERCORE_WORKLOAD(mixed, .units = UNITS)

/* Is not what its own file says is right: of units from the eleventh on. */
static uint32_t twice(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        sum += 2U * (unit % UNITS);
    }
    return sum;
}

uint32_t expected(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        sum += 2U * (unit % UNITS) + (unit % UNITS >= 10U);
    }
    return sum;
}

INTERCORE_WORKLOAD(expected, .units = UNITS, .expected = twice)

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

/* Writes behind the end of the buffer in a call of several units, and in none of one. */
INTERCORE_OUTPUT(border, uint32_t, UNITS, 1);

void around(uint32_t first, uint32_t count) {
    for (uint32_t unit = first; unit != first + count; unit++) {
        border.unit[unit % UNITS][0] = unit % UNITS;
    }
    volatile uint32_t *end = &border.unit[0][0] + UNITS;
    if (count > 1U) {
        *end = 0;
    }
}

INTERCORE_WORKLOAD_TO(around, border)

/* One unit writes behind the end of the buffer; what the units hold is right, as the file itself says. */
INTERCORE_OUTPUT(fence, uint32_t, UNITS, 1);

static bool holds_its_number(uint32_t unit) { return fence.unit[unit][0] == unit; }

void fenced(uint32_t first, uint32_t count) {
    volatile uint32_t *end = &fence.unit[0][0] + UNITS;
    for (uint32_t unit = first; unit != first + count; unit++) {
        fence.unit[unit % UNITS][0] = unit % UNITS;
        if (unit % UNITS == 3U) {
            *end = 0;
        }
    }
}

INTERCORE_WORKLOAD_TO(fenced, fence, .is_right = holds_its_number)

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
