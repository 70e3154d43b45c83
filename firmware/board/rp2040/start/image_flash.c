/* Implements rp2_image.h for an image that is executed in flash (XIP, DS 2.6.3) */
#include "region_words.h"
#include "rp2040_region.h"
#include "rp2040_registers.h"
#include "rp2_clocks.h"
#include "rp2_conditions.h"
#include "rp2_cores.h"
#include "rp2_image.h"
#include "rp2_start.h"

extern uint32_t board_data[], board_data_end[], board_data_in_flash[];

/* Initial stack pointer and entry of the image, from which boot2.S starts it. The complete vector tables are in SRAM
 * (rp2040_cores.c). */
extern const struct rp2040_flash_vectors {
    uint32_t *stack;
    void (*entry)(void);
} rp2040_flash_vectors;
__attribute__((section(".flash_vectors"), used))
const struct rp2040_flash_vectors rp2040_flash_vectors = {&rp2_cores_stacks[0][CORES_STACK_WORDS], board_entry};

void rp2_image_start_data(void) {
    rp2_image_copy(board_data, board_data_in_flash, board_data_in_flash + (board_data_end - board_data));
}

/* Makes the boot ROM start the image in flash, which it does unless the watchdog's scratch registers request something
 * else (DS 2.8.1.1). */
void rp2_image_start_again_after_watchdog(void) { WATCHDOG_SCRATCH4 = 0; }

/* Rough upper bounds of an interrupt's delay in cycles (rp2_image.h). A word from flash contains two instructions;
 * to fetch it takes 20 clocks of the flash's serial bus and a few cycles. Without the cache every word takes that long,
 * with the cache only a word that is not in it. */
uint32_t rp2_image_delay_cycles(void) { return (XIP_CTRL & XIP_CTRL_EN) != 0 ? 10000 : 100000; }

static char divider[CONDITIONS_NUMBER_SIZE];
static char clock_hz[CONDITIONS_NUMBER_SIZE];

static struct port_condition conditions[] = {
    {"memory.code", "flash"},
    {"memory.constants", "flash"},
    {"memory.regions", REGIONS_TEXT ", flash " REGION_TEXT(REGION_FLASH_BYTES) " bytes"},
    {"memory.flash", "the region flash, behind the cache that the code has, too"},
    {"memory.code_in_sram", "the time stamps and what starts the clocks, where a fetch from flash would come between"},
    {"flash.xip_cache", ""},
    {"flash.read", "EBh, continuous, quad"},
    {"flash.clock_divider", divider},
    {"flash.clock_hz", clock_hz},
};
enum { XIP_CACHE = 5 };

void rp2_image_conditions_start(void) {
    conditions[XIP_CACHE].value = (XIP_CTRL & XIP_CTRL_EN) != 0 ? "on" : "off";
    rp2_conditions_number(SSI_BAUDR, divider);
    rp2_conditions_number(CLOCKS_SYS_HZ / SSI_BAUDR, clock_hz);
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
