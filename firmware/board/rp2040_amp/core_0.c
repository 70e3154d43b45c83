/* Core 0's image: the benchmark program. */
#include "console.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "port_amp.h"
#include "rp2_board.h"

extern uint32_t port_amp_shared[], port_amp_shared_end[];

int main(void);

/* If core 0 alone was reset, core 1 may still run the previous image and hold the lock between the cores. So core 1 is
 * reset, and the lock is released. */
int main(void) {
    multicore_reset_core1();
    board_unlock(save_and_disable_interrupts());
    for (volatile uint32_t *word = port_amp_shared; word < port_amp_shared_end; word++) {
        *word = 0;
    }
    __dmb();
    board_run(ic_console_serve);
}
