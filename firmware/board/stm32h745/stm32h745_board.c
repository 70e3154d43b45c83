#include "stm32h745_board.h"

#include "port_amp.h"
#include "port_freertos.h"
#include "stm32h745_amp.h"
#include "stm32h745_clock.h"
#include "stm32h745_clocks.h"
#include "stm32h745_conditions.h"
#include "stm32h745_cycles.h"
#include "stm32h745_led.h"
#include "stm32h745_mark.h"
#include "stm32h745_tick.h"
#include "stm32h745_uart.h"
#include "stm32h745_watchdog.h"

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
