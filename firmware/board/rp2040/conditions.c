#include "conditions.h"

#include <newlib.h>

#include "clocks.h"
#include "port_freertos.h"
#include "region.h"
#include "registers.h"
#include "uart.h"
#include "watchdog.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

#define CHIP_ID_REVISION_SHIFT 28U

/* Digits of the revision, 0 to 15. */
static char revision[3];

static const struct port_condition conditions[] = {
    {"chip.revision", revision},
    {"clock.crystal_hz", TEXT(CLOCKS_XOSC_HZ)},
    {"clock.sys_hz", TEXT(CLOCKS_SYS_HZ)},
    {"clock.peri_hz", TEXT(CLOCKS_SYS_HZ)},
    {"clock.counter", "a PWM counter for each core at clk_sys, begun when the core begins"},
    {"compiler", IC_COMPILER},
    {"compiler.flags", IC_FLAGS},
    {"compiler.library", "newlib " _NEWLIB_VERSION ", libgcc (floating point in software)"},
    {"memory.code", "sram-striped"},
    {"memory.data", "sram-striped"},
    {"memory.stacks", "sram-striped"},
    {"memory.regions", "sram-striped " TEXT(REGION_STRIPED_BYTES) ", sram4 " TEXT(REGION_BANK_BYTES) ", sram5 " TEXT(
                           REGION_BANK_BYTES) " bytes"},
    {"critical_section", "the kernel's: interrupts masked, and its two hardware spinlocks"},
    {"spinlock", "hardware spinlock of SIO, polled"},
    {"atomic", "under a hardware spinlock with interrupts masked: the core has no exclusive accesses"},
    {"memory.word_bytes", "4"},
    {"console", "UART0 by interrupt on core 0, " TEXT(UART_RATE) " bit/s at start"},
    {"watchdog", WATCHDOG_TEXT},
    {"interrupt.timer", "an alarm of TIMER, on whole microseconds, at the kernel's priority"},
    {"interrupt.doorbell", "SIO FIFO, in front of the kernel's handler; a core's own: IRQ 26, pended by software"},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

void conditions_start(void) {
    clocks_release_blocks(RESET_SYSINFO);
    uint32_t number = SYSINFO_CHIP_ID >> CHIP_ID_REVISION_SHIFT;
    char *digit = revision;
    if (number >= 10U) {
        *digit++ = '1';
    }
    *digit = (char)('0' + number % 10U);
}

bool port_condition(uint32_t index, struct port_condition *condition) {
    if (index >= CONDITIONS) {
        return port_freertos_condition(index - (uint32_t)CONDITIONS, condition);
    }
    *condition = conditions[index];
    return true;
}

const char *port_board(void) { return "rp2040"; }

const char *port_chip(void) { return "RP2040"; }
