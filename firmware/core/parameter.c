#include "parameter.h"

#include <string.h>

#include "command.h"

const char *ic_parameter_choice(const struct ic_parameter *parameter, uint32_t value) {
    if (parameter->choice != NULL) {
        return parameter->choice(value);
    }
    return parameter->choices != NULL && value < parameter->choice_count ? parameter->choices[value] : NULL;
}

uint32_t ic_parameter_max(const struct ic_parameter *parameter) {
    return parameter->limit != NULL ? parameter->limit() : parameter->max;
}

uint32_t ic_parameter_default(const struct ic_parameter *parameter) {
    return parameter->preset == IC_PRESET_MAX ? ic_parameter_max(parameter) : parameter->preset;
}

bool ic_parameter_parse(const struct ic_parameter *parameter, uint32_t max, const char *text, uint32_t *value,
                        struct ic_error *error) {
    const char *choice = ic_parameter_choice(parameter, 0);
    if (choice != NULL) {
        for (uint32_t i = 0; choice != NULL; choice = ic_parameter_choice(parameter, ++i)) {
            if (strcmp(choice, text) == 0) {
                *value = i;
                return true;
            }
        }
        return ic_error_set(error, "bad-value", parameter->name, " must be a choice that list shows, not ", text);
    }
    if (!ic_parse_u32(text, value)) {
        return ic_error_set(error, "bad-value", parameter->name, " must be a whole number, not ", text);
    }
    if (*value < parameter->min || *value > max) {
        return ic_error_set(error, "out-of-range", parameter->name, " is outside the range that list shows: ", text);
    }
    return true;
}
