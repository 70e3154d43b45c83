#include "port_freertos.h"
#include "rp2350_watchdog.h"
#include "rp2_conditions.h"
#include "rp2_pin.h"

static const struct port_condition conditions[] = {
    {"critical_section", "the kernel's: interrupts masked, and its two hardware spinlocks"},
    {"spinlock", "hardware spinlock of SIO, polled"},
    {"atomic", "the cores' atomic instructions (A extension)"},
    {"watchdog", WATCHDOG_TEXT},
    {"interrupt.timer", "an alarm of TIMER0, on whole microseconds; no interrupt interrupts another"},
    {"interrupt.doorbell", "the SIO doorbell, in front of the kernel's handler"},
    {"interrupt.pin", PIN_TEXT},
    {"main_loop", "none: a task of the benchmark's own stands in"},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

bool rp2_kernels_condition(uint32_t index, struct port_condition *condition) {
    if (index >= CONDITIONS) {
        return port_freertos_condition(index - (uint32_t)CONDITIONS, condition);
    }
    *condition = conditions[index];
    return true;
}

const char *port_board(void) { return "rp2350"; }
