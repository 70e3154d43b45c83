#include "port_freertos.h"
#include "rp2040_watchdog.h"
#include "rp2_conditions.h"
#include "rp2_pin.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

static const struct port_condition conditions[] = {
    {"critical_section", "the own kernel's: interrupts masked; the other core goes on"},
    {"watchdog", TEXT(WATCHDOG_PERIOD_MS) " ms; fed by core 0 at each tick while both cores' ticks go on"},
    {"interrupt.timer", "an alarm of TIMER, on whole microseconds, at the kernels' priority"},
    {"interrupt.doorbell", "a command in the other core's mailbox and a word of the SIO FIFO; a core's own: IRQ 26, "
                           "pended by software"},
    {"interrupt.pin", PIN_TEXT},
    {"amp.shared", "striped SRAM: mailboxes, results, what benchmarks share, region sram-striped"},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

bool rp2_kernels_condition(uint32_t index, struct port_condition *condition) {
    if (index >= CONDITIONS) {
        return port_freertos_condition(index - (uint32_t)CONDITIONS, condition);
    }
    *condition = conditions[index];
    return true;
}

const char *port_board(void) { return "rp2040_amp"; }
