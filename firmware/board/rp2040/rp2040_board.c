#include "rp2_board.h"

#include <errno.h>

#include "port_freertos.h"
#include "rp2040_clock.h"
#include "rp2040_cycles.h"
#include "rp2040_tick.h"
#include "rp2040_watchdog.h"
#include "rp2_conditions.h"
#include "rp2_console.h"
#include "rp2_mark.h"

static void (*program)(void);

/* Replaces the C library's errno, which its square-root functions set but nothing here reads. The library's own errno
 * would cost 2 KiB of SRAM: it is part of a kilobyte of variables, whose initial values are saved for a restart. */
int *__errno(void) { // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): newlib's name
    static int number;
    return &number;
}

static void run_program(void) {
    rp2040_tick_start();
    rp2_console_listen();
    program();
}

void board_run(void (*console)(void)) {
    program = console;
    rp2040_clock_start();
    rp2040_cycles_go_on();
    rp2_console_start();
    rp2_mark_start();
    rp2_conditions_start();
    rp2040_watchdog_start();
    port_freertos_start(run_program);
}
