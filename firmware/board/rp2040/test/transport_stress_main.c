/* The stress test of the transports on the chip, with interrupts */
#include "transport_stress.h"

#include "hardware/sync.h"
#include "port.h"
#include "rp2040_board.h"
#include "rp2040_test_end.h"

int main(void);

/* Occupies the core for a while with interrupts masked. It does not take the kernel's lock, just as drivers do not, so
 * the other core's kernel continues. */
static void hold(uint64_t ticks) {
    uint32_t mask = save_and_disable_interrupts();
    for (uint64_t start = port_clock(); port_clock() - start < ticks;) {
    }
    restore_interrupts(mask);
}

static void run(void) { rp2040_test_end("the transports bear the stress", transport_stress_run(1, hold)); }

int main(void) { board_run(run); }
