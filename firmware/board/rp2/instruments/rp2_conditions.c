#include "rp2_conditions.h"

#include "chip.h"
#include "port_freertos.h"
#include "rp2_clocks.h"
#include "rp2_image.h"
#include "rp2_mark.h"
#include "rp2_uart.h"

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
    {"clock.counter", CYCLES_TEXT},
    {"clock.counter_bits", TEXT(CYCLES_BITS)},
    {"compiler", IC_COMPILER},
    {"compiler.flags", IC_FLAGS},
    {"compiler.library", CHIP_LIBRARY ", libgcc (floating point in software)"},
    {"bus.priority", TEXT(IC_BUS_PRIORITY)},
    {"memory.data", "sram-striped"},
    {"memory.stacks", CHIP_STACKS},
    {"memory.word_bytes", "4"},
    {"mark", MARK_TEXT},
#ifdef IC_TRACE
    {"recorder", TEXT(IC_TRACE) " events of each core, in the RAM of samples; off unless `record` measures"},
#endif
    {"console", "UART0 by interrupt on core 0, " TEXT(UART_RATE) " bit/s at start, or USB"},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

void rp2_conditions_start(void) {
    rp2_clocks_release_blocks(RESET_SYSINFO);
    rp2_conditions_number(SYSINFO_CHIP_ID >> CHIP_ID_REVISION_SHIFT, revision);
    rp2_conditions_number(chip_core_mv(), core_mv);
    rp2_image_conditions_start();
}

void rp2_conditions_number(uint32_t number, char text[CONDITIONS_NUMBER_SIZE]) {
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
        for (uint32_t of_image = 0; rp2_image_condition(of_image, condition); of_image++) {
            if (behind-- == 0) {
                return true;
            }
        }
        return rp2_kernels_condition(behind, condition);
    }
    *condition = conditions[index];
    return true;
}

const char *port_chip(void) { return CHIP_NAME; }
