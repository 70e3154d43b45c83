#include "port.h"
#include "stm32h745_memory_map.h"

static uint8_t d1[MEMORY_D1_REGION_BYTES] __attribute__((section(".region_d1"), aligned(64)));
static uint8_t d2[MEMORY_D2_REGION_BYTES] __attribute__((section(".region_d2"), aligned(64)));
static uint8_t d3[MEMORY_D3_REGION_BYTES] __attribute__((section(".region_d3"), aligned(64)));

/* At the same addresses in both images: each begins at a fixed one. Region 0 is larger than the D-cache. */
static const struct port_region regions[] = {
    {.name = "d1", .base = d1, .bytes = sizeof d1},
    {.name = "d2", .base = d2, .bytes = sizeof d2},
    {.name = "d3", .base = d3, .bytes = sizeof d3},
};

bool port_region(uint32_t index, struct port_region *region) {
    if (index >= sizeof regions / sizeof regions[0]) {
        return false;
    }
    *region = regions[index];
    return true;
}
