#include "run.h"

#include "port.h"

#define NAPS_HZ 4U

uint32_t ic_run_common(const struct ic_run *run, enum ic_common parameter) {
    return run->values[run->benchmark->parameter_count + (size_t)parameter];
}

static uint64_t ticks_of(uint64_t count, uint64_t per_second) { return count * port_clock_hz() / per_second; }

void ic_run_prepare(struct ic_run *run, const struct ic_settings *settings, uint32_t id) {
    run->id = id;
    run->benchmark = settings->benchmark;
    for (size_t i = 0; i < IC_PARAMETERS_MAX; i++) {
        run->values[i] = ic_settings_value(settings, i);
    }
    run->checks = (struct ic_checks){.repetitions = ic_run_common(run, IC_COMMON_SAMPLES)};
    run->random.state = ic_run_common(run, IC_COMMON_SEED);
    run->clock = run->benchmark->clock != NULL ? run->benchmark->clock(run) : IC_CLOCK_COMMON;
    run->aborted = false;
    run->marked = 0;
    run->next_progress = 0;
    ic_samples_reset();
}

bool ic_run_possible(const struct ic_run *run, struct ic_error *error) {
    return run->benchmark->possible == NULL || run->benchmark->possible(run, error);
}

/* Waits for a moment within the kernel tick's period that the parameter `seed` chooses, so that the run does not depend
 * on when the command came, on the bit rate, or on how long the previous answer took. The function sleeps until the
 * second edge of the tick, not the first: at the first edge the core may still be falling asleep, and the tick's
 * interrupt would begin some cycles earlier or later; at the second edge the core is asleep in any case. The attribute
 * `cold` optimises it for size, because its speed does not matter. */
static __attribute__((cold, noinline)) void await_phase(struct ic_run *run) {
    uint64_t tick = port_clock_hz() / port_tick_hz();
    port_sleep_ticks(2);
    uint64_t edge = port_clock();
    uint64_t wait = ic_random_next(&run->random) % tick;
    while (port_clock() - edge < wait) {
    }
}

void ic_run_begin(struct ic_run *run) {
    ic_run_settle();
    await_phase(run);
}

/* Sleeps in short steps, so that the target answers commands and `abort` can end the run during a long rest. */
static void rest(struct ic_run *run) {
    uint64_t length = ticks_of(ic_run_common(run, IC_COMMON_REST), 1000);
    if (length > 0) {
        port_mark(false);
    }
    uint64_t end = port_clock() + length;
    uint64_t nap = port_clock_hz() / NAPS_HZ;
    for (uint64_t now = port_clock(); now < end && !run->aborted; now = port_clock()) {
        port_sleep_until(end - now < nap ? end : now + nap);
        if (end - now >= nap) {
            (void)ic_run_attend(run);
        }
    }
}

static bool begin_repetition(struct ic_run *run) {
    if (ic_run_attend(run)) {
        port_mark(false);
        await_phase(run);
    }
    if (run->aborted || run->checks.done == run->checks.repetitions) {
        return false;
    }
    if (run->checks.done > 0) {
        rest(run);
    }
    if (run->aborted) {
        return false;
    }
    run->checks.done++;
    return true;
}

void ic_run_rest(struct ic_run *run) {
    if (ic_run_common(run, IC_COMMON_REST) == 0) {
        return;
    }
    rest(run);
    if (run->marked == 0 && run->checks.done > 0) {
        port_mark(true);
    }
}

bool ic_run_repeat(struct ic_run *run) {
    bool begun = begin_repetition(run);
    if (!begun || run->marked == 0) {
        port_mark(begun);
    }
    return begun;
}

void ic_run_window(const struct ic_run *run, uint32_t kind, bool on) {
    if (run->marked == kind) {
        port_mark(on);
    }
}

void ic_run_dither(struct ic_run *run) {
    uint64_t longest = ticks_of(ic_run_common(run, IC_COMMON_DITHER), 1000000);
    uint64_t start = port_clock();
    if (longest > 0) {
        uint64_t wait = ic_random_next(&run->random) % longest;
        while (port_clock() - start < wait) {
        }
    }
}

struct ic_series *ic_run_series(struct ic_run *run, const char *name) {
    struct ic_series *series = ic_samples_open(name, IC_SERIES_PLAIN, run->checks.repetitions);
    if (series == NULL) {
        ic_error_set(&run->error, "out-of-range", "the target has no memory for that many samples of ", name, "");
    } else {
        series->clock = run->clock;
    }
    return series;
}

void ic_run_sample(struct ic_run *run, struct ic_series *series, int64_t ticks) {
    if (!ic_samples_add(series, ticks)) {
        run->checks.lost++;
    }
}

void ic_run_check(struct ic_run *run, bool right) {
    run->checks.checked++;
    if (!right) {
        run->checks.wrong++;
    }
}
