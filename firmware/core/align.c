#include "align.h"

#include <stdatomic.h>

#include "busy_wait.h"
#include "port.h"
#include "run.h"

#define EXCHANGES 64U

/* Values of `asked` and `answered` that are not the number of an exchange. Exchanges are numbered from 1. */
#define NOBODY 0U
#define GIVE_UP UINT32_MAX

enum { AT, THERE, BACK, SERIES };

static const char *const names[2][SERIES] = {
    [IC_ALIGN_BEFORE] = {"before.at", "before.there", "before.back"},
    [IC_ALIGN_AFTER] = {"after.at", "after.there", "after.back"},
};

static struct {
    struct ic_run *run;
    struct ic_series *series[SERIES];
    uint64_t origin;
    bool has_origin;
    port_task_t asker;
    port_task_t answerer;
    uint32_t cores[2]; /* core of the asking task, core of the answering task */
    bool migrated[2];
    _Alignas(PORT_CACHE_LINE) atomic_uint asked;
    _Alignas(PORT_CACHE_LINE) atomic_uint answered; /* number of the exchange that was answered last; EXCHANGES + 1: the
                                                       answering task is ready */
    uint64_t answer;
} exchange PORT_SHARED(align);

static void record(uint64_t start, uint64_t answer, uint64_t end) {
    if (!exchange.has_origin) {
        exchange.origin = start;
        exchange.has_origin = true;
    }
    ic_run_sample(exchange.run, exchange.series[AT], (int64_t)(start - exchange.origin));
    ic_run_sample(exchange.run, exchange.series[THERE], (int64_t)(answer - start));
    ic_run_sample(exchange.run, exchange.series[BACK], (int64_t)(end - answer));
}

static void ask(void *arg) {
    (void)arg;
    while (atomic_load_explicit(&exchange.answered, memory_order_acquire) == NOBODY) {
        if (atomic_load_explicit(&exchange.asked, memory_order_relaxed) == GIVE_UP) {
            return;
        }
    }
    for (uint32_t number = 1; number <= EXCHANGES; number++) {
        ic_busy_wait(number); /* so that the exchanges meet the other core's polling loop in all its phases */
        uint64_t start = port_cycles();
        atomic_store_explicit(&exchange.asked, number, memory_order_release);
        while (atomic_load_explicit(&exchange.answered, memory_order_acquire) != number) {
        }
        uint64_t end = port_cycles();
        record(start, exchange.answer, end);
    }
    exchange.migrated[0] = port_core_id() != exchange.cores[0];
}
PORT_ENTRY(ask);

static void answer(void *arg) {
    (void)arg;
    atomic_store_explicit(&exchange.answered, EXCHANGES + 1U, memory_order_release);
    for (uint32_t number = 1; number <= EXCHANGES; number++) {
        uint32_t asked;
        while ((asked = atomic_load_explicit(&exchange.asked, memory_order_acquire)) != number) {
            if (asked == GIVE_UP) {
                return;
            }
        }
        exchange.answer = port_cycles();
        atomic_store_explicit(&exchange.answered, number, memory_order_release);
    }
    exchange.migrated[1] = port_core_id() != exchange.cores[1];
}
PORT_ENTRY(answer);

static bool open_series(enum ic_align_when when) {
    for (uint32_t i = 0; i < SERIES; i++) {
        exchange.series[i] = ic_samples_open(names[when][i], IC_SERIES_PLAIN, EXCHANGES);
        if (exchange.series[i] == NULL) {
            return ic_error_set(&exchange.run->error, "out-of-range",
                                "the target has no memory for that many samples and ", names[when][i],
                                ": ask for fewer");
        }
        exchange.series[i]->clock = IC_CLOCK_COUNTER;
    }
    exchange.series[AT]->unit = IC_UNIT_MOMENT;
    return true;
}

static bool start(bool asker) {
    struct port_task_config config = {.name = "align",
                                      .entry = asker ? ask : answer,
                                      .core = exchange.cores[asker ? 0 : 1],
                                      .priority = PORT_PRIORITY_MAX};
    return port_task_start(asker ? &exchange.asker : &exchange.answerer, &config) == PORT_OK;
}

bool ic_align_exchange(struct ic_run *run, enum ic_align_when when, uint32_t from, uint32_t to) {
    exchange.run = run;
    exchange.cores[0] = from;
    exchange.cores[1] = to;
    if (when == IC_ALIGN_BEFORE) {
        exchange.origin = 0;
        exchange.has_origin = from == to;
    }
    if (from == to) {
        return true;
    }
    if (!open_series(when)) {
        return false;
    }
    atomic_store(&exchange.asked, NOBODY);
    atomic_store(&exchange.answered, NOBODY);
    exchange.migrated[0] = exchange.migrated[1] = false;
    /* Both tasks spin. The task on the caller's core is started last, because it keeps that core busy, so the caller
     * does not run again before that task has ended. */
    bool asker_last = from == port_core_id();
    port_task_t *first = asker_last ? &exchange.answerer : &exchange.asker;
    port_task_t *second = asker_last ? &exchange.asker : &exchange.answerer;
    if (!start(!asker_last)) {
        return ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
    }
    if (!start(asker_last)) {
        atomic_store(&exchange.asked, GIVE_UP);
        port_task_join(first);
        return ic_error_set(&run->error, "failed", "a task could not be started on every core", "", "");
    }
    port_task_join(second);
    port_task_join(first);
    run->checks.migrated += (uint32_t)exchange.migrated[0] + (uint32_t)exchange.migrated[1];
    return true;
}

uint64_t ic_align_origin(void) { return exchange.origin; }
