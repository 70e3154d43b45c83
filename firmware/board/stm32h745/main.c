/* The benchmark program: main() of core 0's image, which has the console, and of core 1's image */
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

/* Restarts the chip, because the data that both cores share can no longer be trusted. If core 1 calls it, core 1 only
 * stops; core 0 notices that core 1's kernel ticks have stopped, and restarts the chip. */
void board_end(uint32_t status) {
    (void)status;
    if (IC_CORE == 0) {
        stm32h745_start_reset_chip();
    }
    for (;;) {
        __asm volatile("wfe");
    }
}
