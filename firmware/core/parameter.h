/* Typed, range-checked parameters. `list` and `help` are generated from these tables, and values are checked against
 * them, so a benchmark never sees a value outside its range. */
#ifndef IC_PARAMETER_H
#define IC_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ic_error.h"

/* As a preset: the largest value. */
#define IC_PRESET_MAX UINT32_MAX

struct ic_parameter {
    /* Lower case, digits and underscores. */
    const char *name;
    /* One line for people: what it is and its unit. */
    const char *help;
    /* An integer's range and default. For a choice, `preset` is the index of the default. */
    uint32_t min;
    uint32_t max;
    uint32_t preset;
    /* If not NULL: tells max when asked, for limits that the platform decides. */
    uint32_t (*limit)(void);
    /* If not NULL the parameter is a choice; its value is an index into this list of names. */
    const char *const *choices;
    size_t choice_count;
    /* The same for a choice that the platform decides: the name with this index, from 0 up; NULL beyond the last. There
     * is at least one, and they stay as they are. */
    const char *(*choice)(uint32_t index);
};

/* The name of a choice's value, NULL beyond the last. NULL for all values of a parameter that is an integer. */
const char *ic_parameter_choice(const struct ic_parameter *parameter, uint32_t value);

uint32_t ic_parameter_max(const struct ic_parameter *parameter);
uint32_t ic_parameter_default(const struct ic_parameter *parameter);

/* Reads one value, an integer of at most `max`. On false, `error` names what would have been right. */
bool ic_parameter_parse(const struct ic_parameter *parameter, uint32_t max, const char *text, uint32_t *value,
                        struct ic_error *error);

#endif
