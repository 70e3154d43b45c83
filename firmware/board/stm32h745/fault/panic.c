/* board_panic(): prints one `log` line for the host (docs/protocol.md), and calls board_end(), after which the chip
 * restarts. */
#include "line.h"
#include "port_freertos.h"
#include "stm32h745_board.h"
#include "stm32h745_led.h"
#include "stm32h745_lock.h"
#include "stm32h745_semaphores.h"
#include "stm32h745_uart.h"

extern uint32_t board_stack_top[];

/* These variables are static, because the stack may be corrupt. */
static struct ic_line line;
static struct {
    const char *what;
    const char *where;
    uint32_t number;
} cause;

__attribute__((noreturn, used)) static void end(void) {
    port_mark(false);
    stm32h745_led_panic();
    ic_line_open(&line, "log");
    ic_line_integer(&line, "id", 0);
    ic_line_text(&line, "text", cause.what);
    ic_line_text(&line, "where", cause.where);
    ic_line_integer(&line, "number", cause.number);
    ic_line_integer(&line, "core", IC_CORE);
    stm32h745_uart_write_raw("\r\n", 2); /* ends a line that may be in progress */
    stm32h745_uart_write_raw(line.text, ic_line_close(&line));
    board_end(1);
}

void board_panic(const char *what, const char *where, uint32_t number) {
    __asm volatile("cpsid i" ::: "memory");
    while (!stm32h745_lock_try(SEMAPHORE_PANIC)) {
        /* The other core has panicked first, and one line is enough. This core waits until the watchdog resets the
         * chip. */
    }
    cause.what = what;
    cause.where = where;
    cause.number = number;
    /* Moves the stack pointer to the top of the main stack. A handler already uses the main stack; a task must select
     * it first. */
    __asm volatile("    mrs  r1, ipsr      \n"
                   "    cmp  r1, #0        \n"
                   "    bne  1f            \n"
                   "    msr  control, r1   \n"
                   "    isb                \n"
                   "1:  mov  sp, %0        \n"
                   "    bl   end           \n" ::"r"(board_stack_top)
                   : "r1", "memory");
    __builtin_unreachable();
}
