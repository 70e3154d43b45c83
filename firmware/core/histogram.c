#include "histogram.h"

#include <string.h>

struct ic_series *ic_histogram_open(const char *name) {
    struct ic_series *histogram = ic_samples_open(name, IC_SERIES_PLAIN, IC_HISTOGRAM_BINS);
    if (histogram != NULL) {
        histogram->unit = IC_UNIT_COUNT;
        memset(histogram->ticks, 0, (size_t)IC_HISTOGRAM_BINS * sizeof histogram->ticks[0]);
    }
    return histogram;
}

static uint32_t bin_of(uint64_t value) {
    uint32_t exponent = 0;
    while (value >> exponent >= (uint64_t)2 * IC_HISTOGRAM_STEPS) {
        exponent++;
    }
    return exponent * IC_HISTOGRAM_STEPS + (uint32_t)(value >> exponent);
}

bool ic_histogram_add(struct ic_series *histogram, uint64_t value) {
    bool fits = value >> IC_HISTOGRAM_BITS == 0;
    uint32_t bin = fits ? bin_of(value) : IC_HISTOGRAM_BINS - 1U;
    histogram->ticks[bin]++;
    histogram->count = bin >= histogram->count ? bin + 1U : histogram->count;
    return fits;
}
