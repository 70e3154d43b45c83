/* Solves a tower of the benchmark `contention`, and records the cores on which it was solved. Pinned tasks, free tasks
 * and the task that runs alone all use this code, so that the overhead of recording the core is the same for all. */
#include "contention.h"

#include "hanoi.h"

static void note_part(void *arg) {
    struct whereabouts *where = arg;
    uint32_t core = port_core_id();
    if (core == where->on && core < port_core_count()) {
        where->ran[core]++;
    } else {
        where->moved++;
        where->on = core;
    }
}

#if IC_OWN_MAX > 0
bool ic_contest_units_are_right(uint32_t first) {
    const struct intercore_workload *own = ic_contest.own;
    return own == NULL || own->unit_bytes == 0 || own->workload.expected(first, ic_contest.units) == 0;
}

static uint32_t solve_own(struct whereabouts *where) {
    uint32_t first = where->first;
    *where = (struct whereabouts){.on = port_core_id(), .first = first};
    uint32_t sum = ic_contest.own->workload.work(first, ic_contest.units);
    note_part(where);
    return sum;
}
#endif

uint32_t ic_contest_solve(struct whereabouts *where) {
#if IC_OWN_MAX > 0
    if (ic_contest.own != NULL) {
        return solve_own(where);
    }
#endif
    *where = (struct whereabouts){.on = port_core_id()};
    return ic_hanoi_tower_in_parts(ic_contest.discs, note_part, where);
}
