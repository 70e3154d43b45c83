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

/* The SysTick handler of the kernel's port */
void xPortSysTickHandler(void);

void stm32h745_board_tick(void) {
    stm32h745_cycles_note();
    stm32h745_led_beat();
    xPortSysTickHandler();
}

#if IC_CORE == 0

static void (*program)(void);

static void run_program(void) {
    stm32h745_tick_start();
    stm32h745_uart_listen();
    program();
}

void board_run(void (*console)(void)) {
    program = console;
    stm32h745_led_start();
    stm32h745_mark_start();
    stm32h745_uart_start();
    const char *trouble = stm32h745_clocks_start();
    stm32h745_uart_start(); /* again, because the clock of the USART has changed */
    if (trouble != NULL) {
        board_panic("the clocks do not start", trouble, 0);
    }
    stm32h745_clock_start();
    stm32h745_conditions_start();
    stm32h745_watchdog_start();
    port_freertos_start(run_program);
}

#else

void board_run(void (*console)(void)) {
    (void)console;
    stm32h745_led_start();
    stm32h745_mark_start();
    stm32h745_clock_use();
    port_amp_start_core_1();
}

#endif
