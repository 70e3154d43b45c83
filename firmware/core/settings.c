#include "settings.h"

#include <string.h>

static void set_defaults(struct ic_settings *settings) {
    for (size_t i = 0; i < IC_PARAMETERS_MAX; i++) {
        settings->position[i] = 0;
        settings->level_count[i] = 1;
        settings->levels[i][0] =
            ic_benchmark_parameter(settings->benchmark, i) != NULL ? ic_benchmark_default(settings->benchmark, i) : 0;
    }
}

/* Parses "value,value" into the list of values (levels) of one parameter. */
static bool parse_levels(struct ic_settings *settings, size_t index, char *text, struct ic_error *error) {
    const struct ic_parameter *parameter = ic_benchmark_parameter(settings->benchmark, index);
    uint32_t count = 0;
    for (char *next = text; text != NULL; text = next) {
        next = strchr(text, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (count == IC_LEVELS_MAX) {
            return ic_error_set(error, "bad-value", parameter->name, " has more than 16 values", "");
        }
        uint32_t max = ic_benchmark_max(settings->benchmark, index);
        if (!ic_parameter_parse(parameter, max, text, &settings->levels[index][count++], error)) {
            return false;
        }
    }
    settings->level_count[index] = count;
    return true;
}

static bool parse_assignment(struct ic_settings *settings, char *word, struct ic_error *error) {
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        return ic_error_set(error, "syntax", "expected name=value, not ", word, "");
    }
    *equals = '\0';
    const struct ic_parameter *parameter;
    for (size_t i = 0; (parameter = ic_benchmark_parameter(settings->benchmark, i)) != NULL; i++) {
        if (strcmp(parameter->name, word) == 0) {
            return parse_levels(settings, i, equals + 1, error);
        }
    }
    return ic_error_set(error, "unknown-parameter", "there is no parameter ", word, "; type list to see them");
}

bool ic_settings_parse(struct ic_settings *settings, char **words, size_t word_count, struct ic_error *error) {
    if (word_count == 0) {
        return ic_error_set(error, "syntax", "which benchmark? type list to see them", "", "");
    }
    settings->benchmark = ic_benchmark_find(words[0]);
    if (settings->benchmark == NULL) {
        return ic_error_set(error, "unknown-benchmark", "there is no benchmark ", words[0], "; type list to see them");
    }
    if (settings->benchmark->refused != NULL) {
        return ic_error_set(error, "unsupported", settings->benchmark->name, ": ", settings->benchmark->refused);
    }
    set_defaults(settings);
    for (size_t i = 1; i < word_count; i++) {
        if (!parse_assignment(settings, words[i], error)) {
            return false;
        }
    }
    return true;
}

uint32_t ic_settings_value(const struct ic_settings *settings, size_t index) {
    return settings->levels[index][settings->position[index]];
}

uint32_t ic_settings_count(const struct ic_settings *settings) {
    uint32_t count = 1;
    for (size_t i = 0; i < IC_PARAMETERS_MAX; i++) {
        if (count > UINT32_MAX / settings->level_count[i]) {
            return UINT32_MAX;
        }
        count *= settings->level_count[i];
    }
    return count;
}

bool ic_settings_next(struct ic_settings *settings) {
    for (size_t i = 0; i < IC_PARAMETERS_MAX; i++) {
        if (++settings->position[i] < settings->level_count[i]) {
            return true;
        }
        settings->position[i] = 0;
    }
    return false;
}
