/* A unit of the workload `records` is a mix of statements like Dhrystone's, but the code is our own: records are
 * assigned whole and through pointers, strings of 30 characters are compared, an enumeration selects a branch, an array
 * is indexed, integers are multiplied and divided, and functions are called. Its speed is not comparable with DMIPS. */
#include <stdbool.h>
#include <string.h>

#include "workloads.h"

#define PERIOD 32U /* a power of two, because unit numbers wrap at 2^32 */
#define TEXT 30U
#define KINDS 5U
#define ENTRIES 8U
/* Bit positions, in a unit's checksum, of the second record's kind and of the result of the string comparison */
#define KIND_BIT 8U
#define DIFFER_BIT 16U

enum kind { PLAIN, MARKED, COPIED, MOVED, CLOSED };

struct record {
    struct record *from;
    enum kind kind;
    uint32_t number;
    char text[TEXT + 1U];
};

static const struct record blank = {.text = "a record that both cores copy."};

/* Never inlined, at any level of optimisation, as if each function were in a file of its own */
#define CALLED __attribute__((noinline))

CALLED static enum kind following(enum kind kind, bool differs) {
    switch (kind) {
    case PLAIN:
        return MARKED;
    case MARKED:
        return differs ? MOVED : COPIED;
    case COPIED:
        return PLAIN;
    case MOVED:
        return CLOSED;
    default:
        return COPIED;
    }
}

CALLED static void fill(struct record *record, uint32_t number) {
    *record = blank;
    record->kind = (enum kind)(number % KINDS);
    record->number = number;
}

CALLED static void follow(struct record *copy, struct record *from) {
    *copy = *from;
    copy->from = from;
    if (copy->number % 2U != 0) {
        copy->text[copy->number % TEXT] = '~';
    }
}

CALLED static uint32_t move(uint32_t number) {
    struct record first;
    struct record second;
    uint32_t table[ENTRIES];
    fill(&first, number);
    follow(&second, &first);
    bool differs = strcmp(first.text, second.text) != 0;
    second.kind = following(second.kind, differs);
    table[number % ENTRIES] = 3U * second.number;
    table[(number + 1U) % ENTRIES] = table[number % ENTRIES] / ((uint32_t)second.kind + 2U);
    second.from->number += table[(number + 1U) % ENTRIES];
    return first.number + ((uint32_t)second.kind << KIND_BIT) + ((differs ? 1U : 0U) << DIFFER_BIT);
}

static uint32_t work(uint32_t first, uint32_t count) {
    uint32_t checksum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        checksum += move(unit % PERIOD);
    }
    return checksum;
}

/* Returns the result of unit `number`, computed without records: the strings differ if the number is odd, and the kind
 * follows from that and from the number. */
IC_UNTIMED static uint32_t outcome(uint32_t number) {
    static const uint8_t next[2][KINDS] = {{1, 2, 0, 4, 2}, {1, 3, 0, 4, 2}};
    uint32_t kind = next[number % 2U][number % KINDS];
    return number + 3U * number / (kind + 2U) + (kind << KIND_BIT) + (number % 2U << DIFFER_BIT);
}

IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    uint32_t checksum = 0;
    for (uint32_t i = 0; i < PERIOD; i++) {
        checksum += (count / PERIOD + (i < count % PERIOD ? 1U : 0U)) * outcome((first + i) % PERIOD);
    }
    return checksum;
}

const struct ic_workload ic_workload_records = {.work = work, .expected = expected};
