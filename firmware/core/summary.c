#include "summary.h"

#include "port.h"
#include "samples.h"

/* Text column at which the numbers of samples end, and width of each further column of numbers */
#define SAMPLES_COLUMN 26U
#define COLUMN_WIDTH 14U

#define NS_PER_S UINT64_C(1000000000)

/* ---- numbers ---- */

static int64_t least_of(const struct ic_series *series) {
    int64_t least = series->ticks[0];
    for (uint32_t i = 1; i < series->count; i++) {
        least = series->ticks[i] < least ? series->ticks[i] : least;
    }
    return least;
}

static int64_t greatest_of(const struct ic_series *series) {
    int64_t greatest = series->ticks[0];
    for (uint32_t i = 1; i < series->count; i++) {
        greatest = series->ticks[i] > greatest ? series->ticks[i] : greatest;
    }
    return greatest;
}

static uint32_t count_up_to(const struct ic_series *series, int64_t value) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        count += series->ticks[i] <= value;
    }
    return count;
}

/* Finds the median by bisection of the range of values, because the samples must keep their order and there is no
 * memory for a sorted copy. */
static int64_t median_of(const struct ic_series *series) {
    int64_t low = least_of(series);
    int64_t high = greatest_of(series);
    while (low < high) {
        int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2U);
        if (count_up_to(series, middle) >= series->count - series->count / 2U) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- text ---- */

/* Appends a time, in the unit that leaves up to three digits before the point: "840 ns", "12.03 us" */
static void add_time(struct ic_text *text, uint64_t ticks, uint64_t hz) {
    static const char *const units[] = {" ns", " us", " ms", " s"};
    uint64_t ns = ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
    uint64_t scale = 1;
    uint32_t unit = 0;
    while (ns / scale >= 1000U && unit < 3U) {
        scale *= 1000U;
        unit++;
    }
    if (unit > 0) {
        uint64_t hundredths = (ns + scale / 200U) / (scale / 100U);
        ic_text_number(text, hundredths / 100U);
        ic_text_add(text, hundredths % 100U < 10U ? ".0" : ".");
        ic_text_number(text, hundredths % 100U);
    } else {
        ic_text_number(text, ns);
    }
    ic_text_add(text, units[unit]);
}

static void add_value(struct ic_text *line, size_t column, const struct ic_series *series, int64_t value) {
    struct ic_text text = {.length = 0};
    uint64_t size = value < 0 ? 0U - (uint64_t)value : (uint64_t)value;
    if (value < 0) {
        ic_text_add(&text, "-");
    }
    if (series->unit == IC_UNIT_COUNT) {
        ic_text_number(&text, size);
    } else {
        add_time(&text, size, series->clock == IC_CLOCK_COMMON ? port_clock_hz() : port_cycles_hz());
    }
    ic_text_add_right(line, column, text.text);
}

static void tell_setting(const struct ic_run *run, struct ic_text *line) {
    ic_text_add(line, run->benchmark->name);
    const struct ic_parameter *parameter;
    for (size_t i = 0; (parameter = ic_benchmark_parameter(run->benchmark, i)) != NULL; i++) {
        if (run->values[i] == ic_benchmark_default(run->benchmark, i)) {
            continue;
        }
        ic_text_add(line, " ");
        ic_text_add(line, parameter->name);
        ic_text_add(line, "=");
        const char *choice = ic_parameter_choice(parameter, run->values[i]);
        if (choice != NULL) {
            ic_text_add(line, choice);
        } else {
            ic_text_number(line, run->values[i]);
        }
    }
}

static void tell_columns(struct ic_text *line) {
    static const char *const names[] = {"samples", "least", "median", "greatest"};
    ic_text_add(line, "series");
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ic_text_add_right(line, SAMPLES_COLUMN + i * COLUMN_WIDTH, names[i]);
    }
}

static void tell_series(const struct ic_series *series, struct ic_text *line) {
    ic_text_add(line, series->name);
    ic_text_number_right(line, SAMPLES_COLUMN, series->count);
    if (series->count > 0) {
        add_value(line, SAMPLES_COLUMN + COLUMN_WIDTH, series, least_of(series));
        add_value(line, SAMPLES_COLUMN + 2U * COLUMN_WIDTH, series, median_of(series));
        add_value(line, SAMPLES_COLUMN + 3U * COLUMN_WIDTH, series, greatest_of(series));
    }
}

/* Returns the series that this row of the table shows; NULL beyond the last row. */
static const struct ic_series *series_of(uint32_t row) {
    const struct ic_series *series;
    for (size_t i = 0; (series = ic_samples_series(i)) != NULL; i++) {
        bool shown = series->unit == IC_UNIT_TICK || series->unit == IC_UNIT_COUNT;
        if (shown && row-- == 0) {
            return series;
        }
    }
    return NULL;
}

bool ic_summary_tell(const struct ic_run *run, uint32_t index, struct ic_text *line) {
    if (index == 0) {
        tell_setting(run, line);
        return true;
    }
    if (index == 1) {
        tell_columns(line);
        return true;
    }
    const struct ic_series *series = series_of(index - 2U);
    if (series != NULL) {
        tell_series(series, line);
    }
    return series != NULL;
}
