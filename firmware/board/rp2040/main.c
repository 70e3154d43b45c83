/* The benchmark program. */
#include "board.h"
#include "board_end.h"
#include "console.h"

int main(void);

int main(void) { board_run(ic_console_serve); }

void board_end(uint32_t status) {
    (void)status;
    for (;;) { /* interrupts are masked: the watchdog is not fed any more */
        __asm volatile("wfe");
    }
}
