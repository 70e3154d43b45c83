/* board_panic(): prints one `log` line for the host (docs/protocol.md), and ends the firmware with board_end(). */
#include "chip.h"
#include "line.h"
#include "pico/multicore.h"
#include "port_freertos.h"
#include "rp2_board.h"
#include "rp2_console.h"
#include "rp2_cores.h"

/* The hardware spinlock that the first core to panic takes and never releases; only start-up code frees it. */
#define ONCE CHIP_PANIC_LOCK

/* These variables are static, because the stack may be corrupt. */
static struct ic_line line;
static struct {
    const char *what;
    const char *where;
    uint32_t number;
    uint32_t core;
} cause;

__attribute__((noreturn, used)) static void end(void) {
    port_mark(false);
    ic_line_open(&line, "log");
    ic_line_integer(&line, "id", 0);
    ic_line_text(&line, "text", cause.what);
    ic_line_text(&line, "where", cause.where);
    ic_line_integer(&line, "number", cause.number);
    ic_line_integer(&line, "core", cause.core);
    size_t length = ic_line_close(&line);
    rp2_console_write_raw("\r\n", 2); /* ends a line that may be in progress */
    rp2_console_write_raw(line.text, length);
    board_end(1);
}

void board_panic(const char *what, const char *where, uint32_t number) {
    chip_mask_interrupts();
    while (!spin_try_lock_unsafe(spin_lock_instance(ONCE))) {
        __wfe(); /* the other core has panicked first, and one line is enough */
    }
    cause.what = what;
    cause.where = where;
    cause.number = number;
    cause.core = get_core_num();
    chip_call_on_stack(&rp2_cores_stacks[cause.core][CORES_STACK_WORDS], end);
}
