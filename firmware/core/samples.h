/* Sample buffers: the series of a measurement share one arena, which is the platform's (port_samples()). No heap. */
#ifndef IC_SAMPLES_H
#define IC_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port.h"

/* Series of one measurement: up to eleven per core and a few more. Most have one cost of looking per core and a few of
 * their own; contention's four free tasks have two each per core. */
#define IC_SERIES_MAX (11U * PORT_CORES_MAX + 8U)
#define IC_SERIES_NAME_MAX 24U

/* Whose ticks a series counts; on the wire they are called "common" and "counter". */
enum ic_clock {
    IC_CLOCK_COMMON,  /* port_clock() */
    IC_CLOCK_COUNTER, /* port_cycles(), a counter for each core */
};

/* What the samples of a series are; on the wire they are called "tick", "moment", "count" and "core". */
enum ic_unit {
    IC_UNIT_TICK,   /* the difference of two readings of the series' clock, in its ticks: most often a duration */
    IC_UNIT_MOMENT, /* a reading of the clock, in ticks since some moment: only their differences mean something */
    IC_UNIT_COUNT,  /* how often something was done or found */
    IC_UNIT_CORE,   /* number of a core */
};

struct ic_series {
    char name[IC_SERIES_NAME_MAX];
    enum ic_clock clock; /* says nothing where the unit is a count or a core */
    enum ic_unit unit;
    int64_t *ticks;
    uint32_t count;
    uint32_t capacity;
};

/* Forgets all series. */
void ic_samples_reset(void);

/* Opens a series for `capacity` samples, in ticks of the common clock if the caller does not change that. The name is
 * `name`, or "name.index" if `index` is not IC_SERIES_PLAIN. NULL if the arena or the list of series is full. */
struct ic_series *ic_samples_open(const char *name, uint32_t index, uint32_t capacity);
#define IC_SERIES_PLAIN UINT32_MAX

/* Samples that all series of one measurement hold together. */
uint32_t ic_samples_capacity(void);

/* Samples for which there is still room. */
uint32_t ic_samples_room(void);

/* Appends a sample; false if the series is full and the sample is lost. */
bool ic_samples_add(struct ic_series *series, int64_t ticks);

/* The open series with this index, from 0 in the order in which they were opened; NULL beyond the last. */
const struct ic_series *ic_samples_series(size_t index);

#endif
