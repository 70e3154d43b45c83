/* The task that writes to the storage, and parks the other core meanwhile */
#include "outage.h"

#include "port_interrupt.h"

/* Kernel ticks between the end of the outage and the last reading */
#define SETTLING_TICKS 4U

/* Returns false if the other core has not been parked in time. */
static bool park_other(void) {
    atomic_store(&ic_outage.wanted, true);
    port_doorbell_ring(ic_outage.other.core);
    while (!atomic_load(&ic_outage.parked)) {
        if (port_clock() - ic_outage.asked_at > ic_outage.patience) {
            return false;
        }
    }
    return true;
}

static void write_storage(void) {
    uint8_t page[PORT_STORAGE_PAGE_MAX];
    struct ic_random bytes = {ic_outage.content};
    for (uint32_t i = 0; i < sizeof page; i++) {
        page[i] = (uint8_t)ic_random_next(&bytes);
    }
    ic_outage.change.bytes = page;
    ic_outage.gave_up = false;
    ic_outage.asked_at = port_clock();
    if (ic_outage.parks && !park_other()) {
        ic_outage.gave_up = true;
        if (ic_outage.run->values[P_REQUEST] == LEFT) {
            return;
        }
    } else {
        ic_outage.seen_at = port_clock();
        ic_outage.failed = !port_storage_write(&ic_outage.change);
        ic_outage.restored_at = port_clock();
    }
    atomic_store(&ic_outage.wanted, false);
    ic_outage.released_at = port_clock();
    atomic_store(&ic_outage.released, true);
}

/* With other=lock: this task could only be woken while the lock was free, so it waits for a random part of the period
 * in which the lock is held and not. */
static void await_phase(void) {
    if (ic_outage.doing == OTHER_LOCK) {
        uint64_t wait = ic_random_next(&ic_outage.run->random) % (UINT64_C(2) * ic_outage.hold);
        for (uint64_t begin = port_clock(); port_clock() - begin < wait;) {
        }
    }
}

void ic_outage_writing_task(void *arg) {
    while (ic_outage_await_turn(arg)) {
        while (!atomic_load(&ic_outage.own_ready) || !atomic_load(&ic_outage.other_ready)) {
            port_sleep_ticks(1);
        }
        ic_run_dither(ic_outage.run);
        await_phase();
        write_storage();
        port_sleep_ticks(SETTLING_TICKS);
        while (!atomic_load(&ic_outage.released) && !atomic_load(&ic_outage.stuck)) {
            port_sleep_ticks(1);
        }
        atomic_store(&ic_outage.over, true);
        port_notify(ic_outage.leader);
    }
}
PORT_ENTRY(ic_outage_writing_task);
