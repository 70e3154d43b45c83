#include "port.h"
#include "region_words.h"
#include "stm32h745_memory_map.h"

static uint8_t d1[MEMORY_D1_REGION_BYTES] __attribute__((section(".region_d1"), aligned(64)));
static uint8_t d2[MEMORY_D2_REGION_BYTES] __attribute__((section(".region_d2"), aligned(64)));
static uint8_t d3[MEMORY_D3_REGION_BYTES] __attribute__((section(".region_d3"), aligned(64)));

/* The words of the memory region `flash`, from which benchmarks read. They are in bank 1, which core 1 can also read.
 * Core 1's image does not need this table, because only core 0's console looks the region up. */
#if IC_CORE == 0
static const uintptr_t flash[] __attribute__((aligned(64))) = {REGION_WORDS_16K(0U)};
_Static_assert(sizeof flash == MEMORY_FLASH_REGION_BYTES, "the region is as large as it says");
#endif

/* The regions in RAM have fixed addresses, which are the same in both images. The region `d1` is larger than the
 * Cortex-M7's D-cache, and so is each half of the region in flash. */
static const struct port_region regions[] = {
    {.name = "d1", .base = d1, .bytes = sizeof d1},
    {.name = "d2", .base = d2, .bytes = sizeof d2},
    {.name = "d3", .base = d3, .bytes = sizeof d3},
#if IC_CORE == 0
    {.name = "flash", .base = (void *)(uintptr_t)flash, .bytes = sizeof flash, .read_only = true},
#endif
};

bool port_region(uint32_t index, struct port_region *region) {
    if (index >= sizeof regions / sizeof regions[0]) {
        return false;
    }
    *region = regions[index];
    return true;
}
