/* measure=overhead of the benchmark `message`: the time that messages leave to a load of lower priority on each core */
#include "message.h"

/* Time from one message to the next: longer than a wake-up, and not a simple fraction of a kernel tick, so that
 * messages fall at all phases of the tick */
#define GAP_US 211U
/* The end of a window is set this many gaps ahead, because the other core checks for it once per gap (time from message
 * to message). */
#define MARGIN_GAPS 3U
/* Before the window, blocks of a load's iterations are timed for this many gaps (times from message to message). About
 * ten blocks fit into this time, so the shortest block contains no kernel tick. */
#define TRIAL_GAPS 20U
/* Steps of ic_message_spin() in an iteration of the load on core `from` and on core `to`. The numbers differ, because
 * loops of equal length would fall into step, and collide on the bus in all iterations or in none. */
#define STEPS_FROM 32U
#define STEPS_TO 37U

/* Runs iterations of a load until the clock reaches `when`, but at most `most` iterations. Returns how many it ran. */
static uint32_t turns_until(struct load_task *load, uint64_t when, uint32_t most) {
    uint32_t steps = load == &ic_message.load_from ? STEPS_FROM : STEPS_TO;
    uint32_t value = load->value;
    uint32_t turns = 0;
    do {
        value = ic_message_spin(value, steps);
        turns++;
    } while (port_clock() < when && turns < most);
    load->value = value;
    return turns;
}

/* Returns the time of the quickest block of iterations that ends before `until`. A later block does not count, because
 * the other core's load may stop during it. */
static uint64_t quickest_block(struct load_task *load, uint64_t until) {
    uint64_t least = UINT64_MAX;
    uint64_t end;
    do {
        uint64_t begin = port_clock();
        (void)turns_until(load, UINT64_MAX, BLOCK_TURNS);
        end = port_clock();
        if (least == UINT64_MAX || (end <= until && end - begin < least)) {
            least = end - begin;
        }
    } while (end < until);
    return least;
}

static uint32_t arrived(void) { return atomic_load_explicit(&ic_message.progress, memory_order_relaxed); }

/* Sets the end of the window. A window is a whole number of kernel ticks, so that the window with messages and the
 * window without contain the same number of ticks. The window without messages is as long as the window before it. */
static void decide_end(uint64_t gap) {
    uint64_t tick = port_clock_hz() / port_tick_hz();
    if (ic_message.sends) {
        ic_message.length = ((port_clock() + MARGIN_GAPS * gap - ic_message.begin) / tick + 1U) * tick;
    }
    ic_message.end = ic_message.begin + ic_message.length;
    reach(&ic_message.closing);
}

/* Releases the sender for the next message when the preceding one has arrived. In the window without messages, each
 * release counts as an arrival. Returns the number of releases so far. */
static uint32_t pace(uint32_t released, uint32_t since, uint64_t gap) {
    if (arrived() - since != released || reached(&ic_message.closing)) {
        return released;
    }
    if (released == ic_message.messages) {
        decide_end(gap);
        return released;
    }
    if (!ic_message.sends) {
        ic_message_note_progress();
    }
    port_sem_give(&ic_message.release);
    return released + 1U;
}

/* Makes the loads of both cores begin at the same time. Core `to` sets `ready` when its load waits; then core `from`
 * chooses the time and sets `begun`. Returns false if the run has ended. */
static bool begin_together(const struct load_task *load, atomic_uint *ready, atomic_uint *begun, uint64_t gap) {
    if (load == &ic_message.load_from) {
        if (ic_message.apart && !ic_message_await(ready)) {
            return false;
        }
        ic_message.begin = port_clock() + gap;
        reach(begun);
    } else {
        reach(ready);
        if (!ic_message_await(begun)) {
            return false;
        }
    }
    while (port_clock() < ic_message.begin) {
    }
    return true;
}

void ic_message_count_turns(struct load_task *load) {
    bool paces = load == &ic_message.load_from;
    uint64_t gap = (uint64_t)GAP_US * port_clock_hz() / 1000000U;
    uint32_t released = 0;
    uint32_t since = arrived();
    uint32_t turns = 0;
    /* The blocks are timed while the other core's load runs, as in the windows: each load delays the other one on the
     * bus. */
    if (!begin_together(load, &ic_message.ready, &ic_message.begun, gap)) {
        return;
    }
    load->block = quickest_block(load, ic_message.begin + TRIAL_GAPS * gap);
    if (!begin_together(load, &ic_message.counting, &ic_message.opened, gap)) {
        return;
    }
    ic_message_mark_window(load);
    struct vigil vigil = ic_message_begin_vigil();
    uint64_t due = ic_message.begin + gap;
    uint64_t end = UINT64_MAX;
    while (due < end && !over()) {
        turns += turns_until(load, due, UINT32_MAX);
        if (paces) {
            released = pace(released, since, gap);
            ic_message_keep_vigil(&vigil);
        }
        if (reached(&ic_message.closing)) {
            end = ic_message.end;
        }
        due += gap;
    }
    load->turns = over() ? turns : turns + turns_until(load, end, UINT32_MAX);
    ic_message_mark_window(load);
}
