#include "measure.h"

#include "looking.h"
#include "port.h"

bool ic_measure(struct ic_run *run) {
    if (!ic_run_possible(run, &run->error)) {
        return false;
    }
    ic_run_begin(run);
    uint32_t rings_lost = port_lost_rings();
    bool measured = ic_looking_measure(run) && run->benchmark->measure(run);
    port_mark(false); /* it may have given up between two repetitions */
    run->checks.rings_lost = port_lost_rings() - rings_lost;
    return measured;
}
