#include "board.h"

#include "clock.h"
#include "conditions.h"
#include "cycles.h"
#include "mark.h"
#include "port_freertos.h"
#include "tick.h"
#include "uart.h"
#include "watchdog.h"

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
