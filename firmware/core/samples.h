/* Buffers for samples: all series of a measurement share one buffer of the platform, the arena (port_samples()), and
 * use no heap. */
#ifndef IC_SAMPLES_H
#define IC_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port.h"

/* Maximum number of series of one measurement. Most benchmarks have one series of the timestamp overhead per core, and
 * a few others. The benchmark `contention` has the most: eleven per core, eight of which are for its four unpinned
 * tasks, and seven others. */
#define IC_SERIES_MAX (11U * PORT_CORES_MAX + 8U)
#define IC_SERIES_NAME_MAX 24U

/* The clock that the samples of a series were read from; "common" or "counter" in the protocol */
enum ic_clock {
    IC_CLOCK_COMMON,  /* port_clock() */
    IC_CLOCK_COUNTER, /* port_cycles(), each core's counter */
};

/* What the samples of a series are; "tick", "moment", "count" or "core" in the protocol */
enum ic_unit {
    IC_UNIT_TICK,   /* difference of two readings of the series' clock, in its ticks; usually a duration */
    IC_UNIT_MOMENT, /* reading of the clock, in ticks since an arbitrary origin: only differences are meaningful */
    IC_UNIT_COUNT,  /* number of times that something was done or found */
    IC_UNIT_CORE,   /* number of a core */
};

struct ic_series {
    char name[IC_SERIES_NAME_MAX];
    enum ic_clock clock; /* undefined if the unit is a count or a core */
    enum ic_unit unit;
    int64_t *ticks;
    uint32_t count;
    uint32_t capacity;
};

/* Removes all series. */
void ic_samples_reset(void);

/* Opens a series for `capacity` samples, in ticks of the common clock unless the caller changes that. It is called
 * `name`, or "name.index" unless `index` is IC_SERIES_PLAIN. Returns NULL if the arena or the list of series is
 * full. */
struct ic_series *ic_samples_open(const char *name, uint32_t index, uint32_t capacity);
#define IC_SERIES_PLAIN UINT32_MAX

/* Total capacity of all series of a measurement, in samples */
uint32_t ic_samples_capacity(void);

/* Remaining capacity, in samples */
uint32_t ic_samples_room(void);

/* Appends a sample. Returns false if the series is full; the sample is lost. */
bool ic_samples_add(struct ic_series *series, int64_t ticks);

/* Returns the open series with this index, counted from 0 in the order in which the series were opened; NULL if there
 * is none. */
const struct ic_series *ic_samples_series(size_t index);

#endif
