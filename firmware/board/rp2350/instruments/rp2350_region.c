#include "rp2350_region.h"
#include "port.h"
#include "rp2_image.h"

static uint8_t striped[REGION_STRIPED_BYTES] __attribute__((section(".region"), aligned(64)));
static uint8_t banks_4_to_7[REGION_STRIPED_BYTES] __attribute__((section(".region47"), aligned(64)));
static uint8_t bank8[REGION_BANK8_BYTES] __attribute__((section(".region8"), aligned(64)));
static uint8_t bank9[REGION_BANK9_BYTES] __attribute__((section(".region9"), aligned(64)));

static const struct port_region regions[] = {
    {.name = "sram-striped", .base = striped, .bytes = sizeof striped},
    {.name = "sram4-7", .base = banks_4_to_7, .bytes = sizeof banks_4_to_7},
    {.name = "sram8", .base = bank8, .bytes = sizeof bank8},
    {.name = "sram9", .base = bank9, .bytes = sizeof bank9},
};

#define REGIONS (sizeof regions / sizeof regions[0])

bool port_region(uint32_t index, struct port_region *region) {
    if (index >= REGIONS) {
        return index == REGIONS && rp2_image_region(region);
    }
    *region = regions[index];
    return true;
}
