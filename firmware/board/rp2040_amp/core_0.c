/* Core 0's image: the benchmark program. */
#include "board.h"
#include "board_end.h"
#include "console.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "registers.h"

#define WATCHDOG_TRIGGER (1U << 31U)

extern uint32_t port_amp_shared[], port_amp_shared_end[];

int main(void);

/* Core 1 may still be running what it was given before: where core 0 alone was reset. */
int main(void) {
    multicore_reset_core1();
    for (volatile uint32_t *word = port_amp_shared; word < port_amp_shared_end; word++) {
        *word = 0;
    }
    __dmb();
    board_run(ic_console_serve);
}

/* What is shared cannot be trusted any more: the chip starts again. */
void board_end(uint32_t status) {
    (void)status;
    SET_BITS(WATCHDOG_CTRL) = WATCHDOG_TRIGGER;
    for (;;) {
        __asm volatile("wfe");
    }
}
