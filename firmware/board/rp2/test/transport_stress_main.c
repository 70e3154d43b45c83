/* Runs the stress test of the transports (the ways to move messages between cores) on the chip, with phases in which
 * interrupts are masked. */
#include "transport_stress.h"

#include "hardware/sync.h"
#include "port.h"
#include "rp2_board.h"
#include "rp2_test_end.h"

int main(void);

/* Occupies the core for `ticks` clock ticks with interrupts masked. Like a driver, it does not take the kernel's lock,
 * so the kernel continues on the other core. */
static void hold(uint64_t ticks) {
    uint32_t mask = save_and_disable_interrupts();
    for (uint64_t start = port_clock(); port_clock() - start < ticks;) {
    }
    restore_interrupts(mask);
}

static void run(void) { rp2_test_end("the transports bear the stress", transport_stress_run(1, hold)); }

int main(void) { board_run(run); }
