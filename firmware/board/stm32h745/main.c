/* The benchmark program: core 0's, with the console, and core 1's. */
#include "board.h"
#include "board_end.h"
#include "console.h"

int main(void);

#if IC_CORE == 0
int main(void) { board_run(ic_console_serve); }
#else
int main(void) { board_run(NULL); }
#endif

void board_end(uint32_t status) {
    (void)status;
    for (;;) { /* interrupts are masked: the watchdog is not fed any more */
        __asm volatile("wfe");
    }
}
