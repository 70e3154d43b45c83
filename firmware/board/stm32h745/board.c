#include "board.h"

#include "amp.h"
#include "clock.h"
#include "clocks.h"
#include "conditions.h"
#include "cycles.h"
#include "led.h"
#include "mark.h"
#include "port_amp.h"
#include "port_freertos.h"
#include "tick.h"
#include "uart.h"
#include "watchdog.h"

/* Of the kernel's port. */
void xPortSysTickHandler(void);

void board_tick(void) {
    cycles_note();
    led_beat();
    xPortSysTickHandler();
}

#if IC_CORE == 0

static void (*program)(void);

static void run_program(void) {
    tick_start();
    uart_listen();
    program();
}

void board_run(void (*console)(void)) {
    program = console;
    led_start();
    mark_start();
    uart_start();
    const char *trouble = clocks_start();
    uart_start(); /* its clock has changed */
    if (trouble != NULL) {
        board_panic("the clocks do not start", trouble, 0);
    }
    clock_start();
    conditions_start();
    watchdog_start();
    port_freertos_start(run_program);
}

#else

void board_run(void (*console)(void)) {
    (void)console;
    led_start();
    mark_start();
    port_amp_start_core_1();
}

#endif
