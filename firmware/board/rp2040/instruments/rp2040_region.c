#include "rp2040_region.h"

#include "port.h"
#include "rp2_image.h"

static uint8_t striped[REGION_STRIPED_BYTES] __attribute__((section(".region"), aligned(64)));
static uint8_t bank4[REGION_BANK_BYTES] __attribute__((section(".region4"), aligned(64)));
static uint8_t bank5[REGION_BANK_BYTES] __attribute__((section(".region5"), aligned(64)));

static const struct port_region regions[] = {
    {.name = "sram-striped", .base = striped, .bytes = sizeof striped},
    {.name = "sram4", .base = bank4, .bytes = sizeof bank4},
    {.name = "sram5", .base = bank5, .bytes = sizeof bank5},
};

#define REGIONS (sizeof regions / sizeof regions[0])

bool port_region(uint32_t index, struct port_region *region) {
    if (index >= REGIONS) {
        return index == REGIONS && rp2_image_region(region);
    }
    *region = regions[index];
    return true;
}
