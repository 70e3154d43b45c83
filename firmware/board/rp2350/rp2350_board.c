#include "port_freertos.h"
#include "rp2350_clock.h"
#include "rp2350_watchdog.h"
#include "rp2_board.h"
#include "rp2_conditions.h"
#include "rp2_console.h"
#include "rp2_mark.h"

static void (*program)(void);

static void run_program(void) {
    rp2_console_listen();
    program();
}

void board_run(void (*console)(void)) {
    program = console;
    rp2350_clock_start();
    rp2_console_start();
    rp2_mark_start();
    rp2_conditions_start();
    rp2350_watchdog_start();
    port_freertos_start(run_program);
}
