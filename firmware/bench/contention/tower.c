/* A tower of the benchmark `contention`, and where it was solved. Who is pinned, who is free and who is alone all solve
 * it in this way: what the look costs is in each of their times alike. */
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

uint32_t ic_contest_solve(struct whereabouts *where) {
    *where = (struct whereabouts){.on = port_core_id()};
#if IC_OWN_MAX > 0
    if (ic_contest.own != NULL) {
        uint32_t sum = ic_contest.own->workload.work(0, ic_contest.units);
        note_part(where);
        return sum;
    }
#endif
    return ic_hanoi_tower_in_parts(ic_contest.discs, note_part, where);
}
