/* Implements rp2_image.h for an image that is executed in flash (XIP, DS 4.4), which the boot ROM has set up for
 * reading: this is how programs of the vendor's SDK run, too. */
#include "chip.h"
#include "region_words.h"
#include "rp2350_region.h"
#include "rp2_clocks.h"
#include "rp2_conditions.h"
#include "rp2_image.h"

extern uint32_t board_data[], board_data_end[], board_data_in_flash[];
extern uint32_t board_clock[], board_clock_end[], board_clock_in_flash[];

void rp2_image_start_data(void) {
    rp2_image_copy(board_data, board_data_in_flash, board_data_in_flash + (board_data_end - board_data));
    rp2_image_copy(board_clock, board_clock_in_flash, board_clock_in_flash + (board_clock_end - board_clock));
    if (!IC_XIP_CACHE) {
        XIP_CTRL = XIP_CTRL & ~XIP_CTRL_EN_SECURE;
    }
}

/* Makes the boot ROM start the image in flash, which it does unless the watchdog's scratch registers request something
 * else (DS 5.2.4). */
void rp2_image_start_again_after_watchdog(void) { WATCHDOG_SCRATCH4 = 0; }

/* Rough upper bounds of an interrupt's delay in cycles (rp2_image.h): as on the RP2040, whose flash is read in about
 * the same number of cycles */
uint32_t rp2_image_delay_cycles(void) { return (XIP_CTRL & XIP_CTRL_EN_SECURE) != 0 ? 10000 : 100000; }

static char command[CONDITIONS_NUMBER_SIZE];
static char divider[CONDITIONS_NUMBER_SIZE];
static char clock_hz[CONDITIONS_NUMBER_SIZE];

static struct port_condition conditions[] = {
    {"memory.code", "flash"},
    {"memory.constants", "flash"},
    {"memory.regions", REGIONS_TEXT ", flash " REGION_TEXT(REGION_FLASH_BYTES) " bytes"},
    {"memory.flash", "the region flash, behind the cache that the code has, too"},
    {"memory.code_in_sram", "the time stamps and what starts the clocks, where a fetch from flash would come between"},
    {"flash.xip_cache", ""},
    {"flash.read", "as the boot ROM has set it up"},
    {"flash.read_command", command},
    {"flash.clock_divider", divider},
    {"flash.clock_hz", clock_hz},
};
enum { XIP_CACHE = 5 };

void rp2_image_conditions_start(void) {
    uint32_t clock_divider = QMI_M0_TIMING & QMI_TIMING_CLKDIV_MASK;
    clock_divider = clock_divider == 0 ? QMI_TIMING_CLKDIV_MASK + 1U : clock_divider;
    conditions[XIP_CACHE].value = (XIP_CTRL & XIP_CTRL_EN_SECURE) != 0 ? "on" : "off";
    rp2_conditions_number(QMI_M0_RCMD & QMI_RCMD_PREFIX_MASK, command);
    rp2_conditions_number(clock_divider, divider);
    rp2_conditions_number(CLOCKS_SYS_HZ / clock_divider, clock_hz);
}

bool rp2_image_condition(uint32_t index, struct port_condition *condition) {
    if (index >= sizeof conditions / sizeof conditions[0]) {
        return false;
    }
    *condition = conditions[index];
    return true;
}

static const uintptr_t words[] __attribute__((aligned(64))) = {REGION_WORDS_16K(0U)};
_Static_assert(sizeof words == REGION_FLASH_BYTES, "the region is as large as it says");

bool rp2_image_region(struct port_region *region) {
    *region = (struct port_region){
        .name = "flash", .base = (void *)(uintptr_t)words, .bytes = sizeof words, .read_only = true};
    return true;
}
