/* What is watched while storage is written: a task or handler on the other core, and a periodic task on the core that
 * writes */
#include "outage.h"

#include "port_interrupt.h"
#include "port_lock.h"

/* Iterations of an empty loop between two readings: less than a microsecond or two on a chip */
#define PASS_TURNS 8U

/* ---- handlers ---- */

static inline __attribute__((always_inline)) void note(struct watch *watch, uint64_t from, uint64_t until) {
    if (until - from > watch->until - watch->from) {
        watch->from = from;
        watch->until = until;
    }
}

/* Handler of the doorbell; a probe of the simulator finds it by its name. */
PORT_IN_RAM(outage_park) static void outage_park(void *arg) {
    (void)arg;
    uint64_t now = port_clock();
    if (!atomic_load(&ic_outage.wanted)) {
        return;
    }
    ic_outage.parked_at = now;
    atomic_store(&ic_outage.parked, true);
    while (!atomic_load(&ic_outage.released)) {
        if (port_clock() - now > ic_outage.bound) {
            atomic_store(&ic_outage.stuck, true);
            return;
        }
    }
}
PORT_ENTRY(outage_park);

/* Handler of the timer. An activation that is past, or nearer than the 50 µs that a timer needs, has not come. */
static void outage_answer(void *arg) {
    (void)arg;
    uint64_t now = port_clock();
    note(&ic_outage.watch, ic_outage.due, now);
    if (atomic_load(&ic_outage.over)) {
        if (PORT_HANDLERS_MAY_BE_LATE) {
            atomic_store(&ic_outage.other_ready, false);
        }
        return;
    }
    ic_outage.due += ic_outage.timer_period;
    while (ic_outage.due < now + ic_outage.timer_period / 2U) {
        ic_outage.due += ic_outage.timer_period;
        ic_outage.watch.missed++;
    }
    ic_outage.due = port_timer_set(ic_outage.due);
}
PORT_ENTRY(outage_answer);

bool ic_outage_open_interrupts(struct ic_run *run) {
    enum port_error error = ic_outage.parks ? port_doorbell_open(ic_outage.other.core, outage_park, NULL) : PORT_OK;
    if (error == PORT_OK && ic_outage.doing == OTHER_INTERRUPT) {
        error = port_timer_open(ic_outage.other.core, outage_answer, NULL);
        if (error != PORT_OK && ic_outage.parks) {
            port_doorbell_close(ic_outage.other.core);
        }
    }
    return error == PORT_OK ||
           ic_error_set(&run->error, "failed", "the platform has no ", "timer or doorbell", " left");
}

void ic_outage_close_interrupts(void) {
    if (ic_outage.parks) {
        port_doorbell_close(ic_outage.other.core);
    }
    if (ic_outage.doing == OTHER_INTERRUPT) {
        port_timer_close();
    }
}

/* ---- tasks ---- */

bool ic_outage_computes(void) { return ic_outage.doing != OTHER_INTERRUPT && ic_outage.doing != OTHER_TASK; }

/* One pass of a core that computes: returns its reading of the clock. */
static inline __attribute__((always_inline)) uint64_t pass(uint64_t last) {
    for (volatile uint32_t left = PASS_TURNS; left > 0; left--) {
    }
    uint64_t now = port_clock();
    note(&ic_outage.watch, last, now);
    if (now - last > ic_outage.standstill) {
        ic_outage.watch.missed += now - last;
    }
    return now;
}

PORT_IN_RAM(outage_compute) static void compute_in_ram(void) {
    for (uint64_t last = port_clock(); !atomic_load(&ic_outage.over);) {
        last = pass(last);
    }
}

static __attribute__((noinline)) void compute(void) {
    for (uint64_t last = port_clock(); !atomic_load(&ic_outage.over);) {
        last = pass(last);
    }
}

/* Holds the lock half of the time, so that the kernel on the other core makes progress. */
static void hold_lock(void) {
    for (uint64_t last = port_clock(); !atomic_load(&ic_outage.over);) {
        port_critical_enter();
        for (uint64_t end = port_clock() + ic_outage.hold; port_clock() < end;) {
        }
        port_critical_exit();
        for (uint64_t end = port_clock() + ic_outage.hold; last < end;) {
            last = pass(last);
        }
    }
}

static void be_interrupted(void) {
    ic_outage.due = port_clock() + UINT64_C(2) * ic_outage.timer_period; /* the handler may run before a later store */
    (void)port_timer_set(ic_outage.due);
    while (PORT_HANDLERS_MAY_BE_LATE ? atomic_load(&ic_outage.other_ready) : !atomic_load(&ic_outage.over)) {
        port_sleep_ticks(1);
    }
    port_sleep_ticks(1); /* the last interrupt */
}

static void be_periodic(struct watch *watch, atomic_bool *ready) {
    struct port_period period;
    uint64_t tick = port_clock_hz() / port_tick_hz();
    uint64_t due = port_period_begin(&period, 1);
    atomic_store(ready, true);
    while (!atomic_load(&ic_outage.over)) {
        port_period_sleep(&period);
        uint64_t now = port_clock();
        note(watch, due, now);
        watch->behind = now - due;
        watch->missed += now - due > tick;
        due += tick;
    }
}

static void be_watched(void) {
    if (ic_outage.doing == OTHER_TASK) {
        be_periodic(&ic_outage.watch, &ic_outage.other_ready);
        return;
    }
    atomic_store(&ic_outage.other_ready, true);
    switch (ic_outage.doing) {
    case OTHER_INTERRUPT:
        be_interrupted();
        break;
    case OTHER_LOCK:
        hold_lock();
        break;
    case OTHER_FLASH:
        compute();
        break;
    default:
        compute_in_ram();
    }
}

/* Waits until woken; returns false if the task must end. */
bool ic_outage_await_turn(struct player *player) {
    port_notify_take();
    player->migrated = player->migrated || port_core_id() != player->core;
    return !atomic_load(&ic_outage.dismissed);
}

void ic_outage_other_task(void *arg) {
    while (ic_outage_await_turn(arg)) {
        be_watched();
        atomic_store(&ic_outage.other_ready, false);
    }
}
PORT_ENTRY(ic_outage_other_task);

void ic_outage_own_task(void *arg) {
    while (ic_outage_await_turn(arg)) {
        be_periodic(&ic_outage.own_watch, &ic_outage.own_ready);
        atomic_store(&ic_outage.own_ready, false);
    }
}
PORT_ENTRY(ic_outage_own_task);
