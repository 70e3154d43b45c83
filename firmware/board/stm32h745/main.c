/* The benchmark program: core 0's part, with the console, and core 1's part */
#include <stddef.h>

#include "console.h"
#include "stm32h745_board.h"
#include "stm32h745_start.h"

int main(void);

#if IC_CORE == 0
int main(void) { board_run(ic_console_serve); }
#else
int main(void) { board_run(NULL); }
#endif

/* The shared data can no longer be trusted, so core 0 restarts the chip. If core 1 ends, core 0 notices that core 1's
 * ticks have stopped, and then restarts the chip. */
void board_end(uint32_t status) {
    (void)status;
    if (IC_CORE == 0) {
        stm32h745_start_reset_chip();
    }
    for (;;) {
        __asm volatile("wfe");
    }
}
