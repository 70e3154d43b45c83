/* Measures how long Linux takes to record one scheduler event (a switch or a wake-up). Two tasks on one core wake each
 * other alternately. The trace points are off in one round (`turn` in the code) and on in the next, so that other
 * activity of the machine affects both kinds of rounds alike. The difference between the two kinds is the cost of the
 * records: each exchange causes two wake-ups and two switches. The median of each kind is used, because some rounds are
 * disturbed. */
#include "trace_cost_posix.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "port.h"
#include "trace_points_posix.h"

/* 21 rounds with the trace points off and 21 with them on take 5 ms in total. A round is 20 exchanges (a task wakes the
 * other task and is woken by it). A few untimed exchanges before each round warm the caches. */
#define TURNS 21U
#define EXCHANGES 20U
#define BEFORE 3U

static port_task_t asking, answering;
static atomic_bool over;
static uint64_t off[TURNS], on[TURNS];
static uint64_t records; /* made in all rounds with trace points on, including the exchanges before them */

static void answer_all(void *unused) {
    (void)unused;
    for (port_notify_take(); !atomic_load(&over); port_notify_take()) {
        port_notify(&asking);
    }
}
PORT_ENTRY(answer_all);

static void exchange(uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        port_notify(&answering);
        port_notify_take();
    }
}

static uint64_t turn(void) {
    exchange(BEFORE);
    uint64_t begun = port_clock();
    exchange(EXCHANGES);
    return port_clock() - begun;
}

static void ask_all(void *unused) {
    (void)unused;
    uint32_t core = port_core_id();
    for (uint32_t i = 0; i < TURNS; i++) {
        off[i] = turn();
        uint64_t before = trace_points_switch(core, true);
        on[i] = turn();
        records += trace_points_switch(core, false) - before;
    }
}
PORT_ENTRY(ask_all);

static int by_length(const void *one, const void *other) {
    uint64_t left = *(const uint64_t *)one, right = *(const uint64_t *)other;
    return (left > right) - (left < right);
}

static uint64_t median(uint64_t *lengths) {
    qsort(lengths, TURNS, sizeof *lengths, by_length);
    return lengths[TURNS / 2U];
}

static bool start(port_task_t *task, void (*entry)(void *), uint32_t core) {
    struct port_task_config config = {.name = "recorder", .entry = entry, .core = core, .priority = 1};
    return port_task_start(task, &config) == PORT_OK;
}

uint32_t trace_cost_of_record(uint32_t core) {
    records = 0;
    atomic_store(&over, false);
    if (!start(&answering, answer_all, core)) {
        return 0;
    }
    if (start(&asking, ask_all, core)) {
        port_task_join(&asking);
    }
    atomic_store(&over, true);
    port_notify(&answering);
    port_task_join(&answering);
    uint64_t without = median(off), with = median(on);
    uint64_t turns = (uint64_t)TURNS * (BEFORE + EXCHANGES);
    return with > without && records > 0 ? (uint32_t)((with - without) * turns / EXCHANGES / records) : 0;
}
