#include "samples.h"

#include <string.h>

static size_t arena_used;
static struct ic_series all[IC_SERIES_MAX] PORT_SHARED(series);
static size_t series_count;

void ic_samples_reset(void) {
    arena_used = 0;
    series_count = 0;
}

static void set_name(struct ic_series *series, const char *name, uint32_t index) {
    char digits[10];
    size_t digit_count = 0;
    if (index != IC_SERIES_PLAIN) {
        do {
            digits[digit_count++] = (char)('0' + index % 10U);
            index /= 10U;
        } while (index != 0);
    }
    size_t suffix = digit_count > 0 ? digit_count + 1 : 0;
    size_t length = strlen(name);
    if (length > IC_SERIES_NAME_MAX - 1 - suffix) {
        length = IC_SERIES_NAME_MAX - 1 - suffix;
    }
    memcpy(series->name, name, length);
    if (digit_count > 0) {
        series->name[length++] = '.';
    }
    while (digit_count > 0) {
        series->name[length++] = digits[--digit_count];
    }
    series->name[length] = '\0';
}

struct ic_series *ic_samples_open(const char *name, uint32_t index, uint32_t capacity) {
    struct port_samples arena = port_samples();
    if (series_count == IC_SERIES_MAX || capacity > arena.count - arena_used) {
        return NULL;
    }
    struct ic_series *series = &all[series_count++];
    set_name(series, name, index);
    series->clock = IC_CLOCK_COMMON;
    series->unit = IC_UNIT_TICK;
    series->ticks = arena.base + arena_used;
    series->count = 0;
    series->capacity = capacity;
    arena_used += capacity;
    return series;
}

uint32_t ic_samples_capacity(void) { return port_samples().count; }

uint32_t ic_samples_room(void) { return (uint32_t)(ic_samples_capacity() - arena_used); }

bool ic_samples_add(struct ic_series *series, int64_t ticks) {
    if (series->count == series->capacity) {
        return false;
    }
    series->ticks[series->count++] = ticks;
    return true;
}

const struct ic_series *ic_samples_series(size_t index) { return index < series_count ? &all[index] : NULL; }
