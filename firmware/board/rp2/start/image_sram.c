/* Implements rp2_image.h for an image that the boot ROM or a debugger loads into SRAM
 *
 * At its first start the image saves .data, and at each later start it restores .data. So it can start again without
 * being loaded again, for example after a watchdog reset. */
#include "chip.h"
#include "rp2_image.h"
#include "rp2_start.h"

#define BOOT_MAGIC 0xb007c0d3U

extern uint32_t board_data[], board_data_end[], board_data_saved[];

/* 0 after the image has been loaded, 1 after its first start. The start-up code neither clears nor restores the
 * variable, so it survives a restart. */
static volatile uint32_t started __attribute__((section(".started"))) = 0;

void rp2_image_start_data(void) {
    if (started == 0) {
        rp2_image_copy(board_data_saved, board_data, board_data_end);
        started = 1;
    } else {
        rp2_image_copy(board_data, board_data_saved, board_data_saved + (board_data_end - board_data));
    }
}

/* After a watchdog reset the boot ROM finds these values and starts the image, which is still in SRAM (DS 2.8.1.1). The
 * ROM then clears them. */
void rp2_image_start_again_after_watchdog(void) {
    uint32_t entry = chip_entry(board_entry);
    WATCHDOG_SCRATCH4 = BOOT_MAGIC;
    WATCHDOG_SCRATCH5 = entry ^ (0U - BOOT_MAGIC);
    WATCHDOG_SCRATCH6 = CHIP_SRAM_END;
    WATCHDOG_SCRATCH7 = entry;
}

uint32_t rp2_image_delay_cycles(void) { return 1000; }

void rp2_image_conditions_start(void) {}

bool rp2_image_condition(uint32_t index, struct port_condition *condition) {
    static const struct port_condition conditions[] = {
        {"memory.code", "sram-striped"},
        {"memory.constants", "sram-striped"},
        {"memory.regions", REGIONS_TEXT " bytes"},
        {"memory.flash", "none, a table in sram-striped stands in for it"},
    };
    if (index >= sizeof conditions / sizeof conditions[0]) {
        return false;
    }
    *condition = conditions[index];
    return true;
}

/* There is no memory region in flash, because nothing has set up the flash for reading. */
bool rp2_image_region(struct port_region *region) {
    (void)region;
    return false;
}
