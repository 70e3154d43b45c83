#include "rp2040_board.h"

#include "port_freertos.h"
#include "rp2040_clock.h"
#include "rp2040_conditions.h"
#include "rp2040_cycles.h"
#include "rp2040_mark.h"
#include "rp2040_tick.h"
#include "rp2040_uart.h"
#include "rp2040_watchdog.h"

static void (*program)(void);

static void run_program(void) {
    tick_start();
    uart_listen();
    program();
}

void board_run(void (*console)(void)) {
    program = console;
    clock_start();
    cycles_go_on();
    uart_start();
    mark_start();
    conditions_start();
    watchdog_start();
    port_freertos_start(run_program);
}
