#include "measure.h"

#include "looking.h"
#include "port.h"

/* Lets the measurement begin at a phase of the kernel's tick that the seed chooses: it does not depend on when the
 * command came, and so not on what the line did to it and to the answers before. The first edge of the tick may come
 * while the core is still on its way to sleep, and its interrupt then begins some cycles sooner or later than from
 * sleep: the second one finds it asleep in any case. */
static void await_phase(struct ic_run *run) {
    uint64_t tick = port_clock_hz() / port_tick_hz();
    port_sleep_ticks(2);
    uint64_t edge = port_clock();
    uint64_t wait = ic_random_next(&run->random) % tick;
    while (port_clock() - edge < wait) {
    }
}

bool ic_measure(struct ic_run *run) {
    if (!ic_run_possible(run, &run->error)) {
        return false;
    }
    await_phase(run);
    uint32_t rings_lost = port_lost_rings();
    bool measured = ic_looking_measure(run) && run->benchmark->measure(run);
    port_mark(false); /* it may have given up between two repetitions */
    run->checks.rings_lost = port_lost_rings() - rings_lost;
    return measured;
}
