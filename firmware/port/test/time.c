/* Tests that clocks run forward and at their rates, and that waits end at edges of the tick (moments at which it is
 * due). */
#include "promises.h"

static void clocks_run_forward(void) {
    expect(port_clock_hz() >= 1000, "the common clock has at least 1000 ticks per second");
    expect(port_tick_hz() >= 1, "the kernel tick has a rate");
    uint64_t last = port_clock();
    for (uint32_t i = 0; i < 10000; i++) {
        uint64_t now = port_clock();
        expect(now >= last, "the common clock does not step back");
        last = now;
    }
    uint64_t cycles = port_cycles();
    port_sleep_until(port_clock() + milliseconds(10));
    uint64_t passed = port_cycles() - cycles;
    expect(passed >= port_cycles_hz() / 200, "the cycle counter runs while the clock does");
}

/* What the common clock and the cycle counter count on one core in about 10 ms */
struct passed {
    uint64_t ticks;
    uint64_t cycles;
    bool backwards;
};

static void count_cycles(void *arg) {
    struct passed *passed = arg;
    uint64_t begin = port_clock();
    uint64_t first = port_cycles();
    uint64_t last = first;
    while (port_clock() - begin < milliseconds(10)) {
        uint64_t now = port_cycles();
        passed->backwards = passed->backwards || now < last;
        last = now;
    }
    passed->cycles = port_cycles() - first;
    passed->ticks = port_clock() - begin;
}

static void each_core_has_a_counter(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        struct passed passed = {0};
        port_task_t task;
        struct port_task_config config = {
            .name = "counter", .entry = count_cycles, .arg = &passed, .core = core, .priority = 1};
        expect(port_task_start(&task, &config) == PORT_OK, "the counter's task starts");
        port_task_join(&task);
        uint64_t expected = passed.ticks * port_cycles_hz() / port_clock_hz();
        expect(!passed.backwards, "a core's counter does not step back");
        expect(passed.cycles > expected / 2U && passed.cycles <= expected + expected / 100U,
               "a core's counter runs at its rate");
    }
}

static void the_counters_bits_are_told(void) {
    uint32_t bits = port_cycles_bits();
    char text[] = {(char)('0' + bits / 10U), (char)('0' + bits % 10U), '\0'};
    expect(bits <= 64U, "a core's counter has at most 64 bits");
    expect(port_test_has_condition("clock.counter_bits", bits < 10U ? text + 1 : text),
           "a condition says how many bits a core's counter has");
}

static void ask_clock(void *arg) { *(uint64_t *)arg = port_clock(); }

static void the_common_clock_is_common(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        uint64_t there = 0;
        port_task_t task;
        struct port_task_config config = {
            .name = "clock", .entry = ask_clock, .arg = &there, .core = core, .priority = 1};
        uint64_t before = port_clock();
        expect(port_task_start(&task, &config) == PORT_OK, "the clock task starts");
        port_task_join(&task);
        expect(before <= there && there <= port_clock(), "a reading on another core lies between two of this one");
    }
}

static void sleeping_takes_the_time_asked(void) {
    uint64_t when = port_clock() + milliseconds(20);
    port_sleep_until(when);
    expect(port_clock() >= when, "sleep-until does not end early");
    port_sleep_until(0); /* long ago, so it must return at once */
    uint64_t start = port_clock();
    port_sleep_ticks(3);
    uint64_t tick = port_clock_hz() / port_tick_hz();
    expect(port_clock() - start >= 2 * tick, "three tick edges are at least two ticks apart");
    port_yield();
}

/* Number of attempts of which one must be in time: `usually`, but many more if other programs may take the core */
static uint32_t tries(uint32_t usually) { return others_may_have_the_core() ? 5000U : usually; }

/* The tests below observe the kernel's tick on one core. A task that sleeps for ticks wakes just after an edge (moment
 * at which the tick is due), and edges are always a whole number of ticks apart. A busy computer wakes some tasks late,
 * but not all. On ESP-IDF's core 1, which has its own tick, the task wakes a constant time after the edge instead. */
static bool has_own_tick(void) { return port_core_id() != 0 && port_test_has_condition("freertos.tick_core", "each"); }

/* How far apart two moments are in the tick's period, taken as a circle: the shorter way around */
static uint64_t apart(uint64_t one, uint64_t other, uint64_t tick) {
    uint64_t ahead = (one + tick - other) % tick;
    return ahead < tick - ahead ? ahead : tick - ahead;
}

static void look_at_ticks(void *arg) {
    (void)arg;
    uint64_t tick = port_clock_hz() / port_tick_hz();
    uint64_t first = port_tick_edge();
    uint64_t least = tick;
    uint64_t before = 0;
    for (uint32_t i = 1; i <= 50 || (least >= tick / 4U && i <= tries(50)); i++) {
        port_sleep_ticks(i % 3U + 1U);
        uint64_t edge = port_tick_edge();
        uint64_t late = port_clock() - edge;
        expect((edge - first) % tick == 0, "edges lie whole ticks apart");
        uint64_t distance = !has_own_tick() ? late : i > 1 ? apart(late, before, tick) : tick;
        least = distance < least ? distance : least;
        before = late;
    }
    expect(least < tick / 4U, "a task that sleeps by ticks wakes just after an edge, or always as long after it");
}

static void periodic_task(void *arg) {
    (void)arg;
    uint64_t tick = port_clock_hz() / port_tick_hz();
    struct port_period period;
    uint64_t begun = port_tick_edge();
    uint64_t due = port_period_begin(&period, 2);
    expect((due - begun) % tick == 0 && due > begun + tick, "the first release is due a period from an edge");
    uint64_t limit = (has_own_tick() ? tick : 0) + tick / 4U;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < 20 || (least >= limit && i < tries(20)); i++) {
        port_period_sleep(&period);
        uint64_t now = port_clock();
        expect(now >= due, "a release does not come before it is due");
        least = now - due < least ? now - due : least;
        due += 2U * tick;
    }
    expect(least < limit, "releases come when they are due");
    while (port_clock() < due + 3U * tick) { /* until two activations are overdue */
    }
    port_period_sleep(&period);
    port_period_sleep(&period);
    expect(port_clock() >= due + 2U * tick, "two releases were overdue");
    port_period_sleep(&period);
    expect(port_clock() >= due + 4U * tick, "overdue releases are not left out");
}

static void time_has_a_grid_on_every_core(void) {
    static void (*const looks[])(void *arg) = {look_at_ticks, periodic_task};
    for (uint32_t core = 0; core < port_core_count(); core++) {
        for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
            port_task_t task;
            struct port_task_config config = {.name = "grid", .entry = looks[i], .core = core, .priority = 2};
            expect(port_task_start(&task, &config) == PORT_OK, "a task that looks at the grid starts");
            port_task_join(&task);
        }
    }
}

void port_test_time(void) {
    clocks_run_forward();
    each_core_has_a_counter();
    the_counters_bits_are_told();
    the_common_clock_is_common();
    sleeping_takes_the_time_asked();
    time_has_a_grid_on_every_core();
}
