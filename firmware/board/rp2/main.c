/* The benchmark program. */
#include "console.h"
#include "hardware/sync.h"
#include "rp2_board.h"

int main(void);

int main(void) { board_run(ic_console_serve); }

void board_end(uint32_t status) {
    (void)status;
    for (;;) { /* interrupts are masked, so nothing feeds the watchdog, and it resets the chip */
        __wfe();
    }
}
