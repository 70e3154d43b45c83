#include "rp2040_conditions.h"

#include <newlib.h>

#include "port_freertos.h"
#include "rp2040_clocks.h"
#include "rp2040_cycles.h"
#include "rp2040_image.h"
#include "rp2040_mark.h"
#include "rp2040_registers.h"
#include "rp2040_uart.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

#define CHIP_ID_REVISION_SHIFT 28U

static char revision[CONDITIONS_NUMBER_SIZE];
static char core_mv[CONDITIONS_NUMBER_SIZE];

static const struct port_condition conditions[] = {
    {"chip.revision", revision},
    {"chip.core_mv", core_mv},
    {"clock.crystal_hz", TEXT(CLOCKS_XOSC_HZ)},
    {"clock.pll", "crystal * " TEXT(IC_PLL_FBDIV) " / " TEXT(IC_PLL_POSTDIV1) " / " TEXT(IC_PLL_POSTDIV2)},
    {"clock.sys_hz", TEXT(CLOCKS_SYS_HZ)},
    {"clock.peri_hz", TEXT(CLOCKS_SYS_HZ)},
    {"clock.counter", "a PWM counter for each core at clk_sys, begun when the core begins"},
    {"clock.counter_bits", TEXT(CYCLES_BITS)},
    {"compiler", IC_COMPILER},
    {"compiler.flags", IC_FLAGS},
    {"compiler.library", "newlib " _NEWLIB_VERSION ", libgcc (floating point in software)"},
    {"memory.data", "sram-striped"},
    {"memory.stacks", "sram-striped"},
    {"memory.word_bytes", "4"},
    {"mark", MARK_TEXT},
#ifdef IC_TRACE
    {"recorder", TEXT(IC_TRACE) " events of each core, in the RAM of samples; off unless `record` measures"},
#endif
    {"console", "UART0 by interrupt on core 0, " TEXT(UART_RATE) " bit/s at start"},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

void rp2040_conditions_start(void) {
    rp2040_clocks_release_blocks(RESET_SYSINFO);
    rp2040_conditions_number(SYSINFO_CHIP_ID >> CHIP_ID_REVISION_SHIFT, revision);
    /* The core voltage in mV for which the regulator is set: 800 for a VSEL below 6, 850 for 6, and 50 more for each
     * further step (DS 2.10.3) */
    uint32_t step = VREG >> VREG_VSEL_SHIFT & VREG_VSEL_MASK;
    rp2040_conditions_number(step < 6U ? 800U : 550U + 50U * step, core_mv);
    rp2040_image_conditions_start();
}

void rp2040_conditions_number(uint32_t number, char text[CONDITIONS_NUMBER_SIZE]) {
    char *end = text;
    for (uint32_t rest = number; rest >= 10U; rest /= 10U) {
        end++;
    }
    end[1] = '\0';
    for (char *digit = end; digit >= text; digit--) {
        *digit = (char)('0' + number % 10U);
        number /= 10U;
    }
}

bool port_condition(uint32_t index, struct port_condition *condition) {
    if (index >= CONDITIONS) {
        uint32_t behind = index - (uint32_t)CONDITIONS;
        for (uint32_t of_image = 0; rp2040_image_condition(of_image, condition); of_image++) {
            if (behind-- == 0) {
                return true;
            }
        }
        return rp2040_kernels_condition(behind, condition);
    }
    *condition = conditions[index];
    return true;
}

const char *port_chip(void) { return "RP2040"; }
