/* Typed, range-checked parameters of benchmarks. The answers to the commands `list` and `help` are generated from these
 * tables, and values are checked against them: a benchmark never sees a value outside its range. */
#ifndef IC_PARAMETER_H
#define IC_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ic_error.h"

/* Value of `preset` for a parameter whose default is its largest value */
#define IC_PRESET_MAX UINT32_MAX

struct ic_parameter {
    /* Lower case, digits and underscores */
    const char *name;
    /* One line for people: meaning and unit */
    const char *help;
    /* Range and default of an integer. For a choice, only `preset` is used: the index of the default. */
    uint32_t min;
    uint32_t max;
    uint32_t preset;
    /* If not NULL: returns the maximum, in place of `max`, for a maximum that depends on the platform */
    uint32_t (*limit)(void);
    /* If not NULL, the parameter is a choice; its value is an index into this list of names. */
    const char *const *choices;
    size_t choice_count;
    /* If not NULL, the parameter is a choice whose names depend on the platform. Returns the name with this index; NULL
     * beyond the last. There is at least one name, and the names do not change. */
    const char *(*choice)(uint32_t index);
};

/* Returns the name of a choice's value; NULL for a value beyond the last choice, and for an integer parameter. */
const char *ic_parameter_choice(const struct ic_parameter *parameter, uint32_t value);

uint32_t ic_parameter_max(const struct ic_parameter *parameter);
uint32_t ic_parameter_default(const struct ic_parameter *parameter);

/* Parses one value, and refuses an integer above `max`. On failure returns false, with `error` set. */
bool ic_parameter_parse(const struct ic_parameter *parameter, uint32_t max, const char *text, uint32_t *value,
                        struct ic_error *error);

#endif
