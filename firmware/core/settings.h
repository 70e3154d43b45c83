/* The parameters of one command, such as `run`. Each has one or more levels (values); every combination of levels is a
 * setting. */
#ifndef IC_SETTINGS_H
#define IC_SETTINGS_H

#include "benchmark.h"

/* Maximum number of levels (values) of one parameter in one command */
#define IC_LEVELS_MAX 16U

struct ic_settings {
    const struct ic_benchmark *benchmark;
    uint32_t levels[IC_PARAMETERS_MAX][IC_LEVELS_MAX];
    uint32_t level_count[IC_PARAMETERS_MAX]; /* at least 1 each */
    uint32_t position[IC_PARAMETERS_MAX];    /* index of the level in the current setting */
};

/* Parses "BENCHMARK name=value[,value…] …" (the words after `run`, which are modified). Parameters that are not named
 * get their defaults. The first setting, with the first value of each parameter, becomes the current setting. */
bool ic_settings_parse(struct ic_settings *settings, char **words, size_t word_count, struct ic_error *error);

/* Value of the parameter with this index in the current setting */
uint32_t ic_settings_value(const struct ic_settings *settings, size_t index);

/* Returns the number of settings (combinations of values); UINT32_MAX if there are more. */
uint32_t ic_settings_count(const struct ic_settings *settings);

/* Makes the next setting (combination of values) the current one; the first parameter varies fastest. Returns false
 * after the last setting; the first setting is then current again. */
bool ic_settings_next(struct ic_settings *settings);

#endif
