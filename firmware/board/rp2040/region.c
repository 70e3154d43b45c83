/* Memory that benchmarks may use. Nothing else is in banks 4 and 5, and nothing but this, code, data and stacks in the
 * striped ones. */
#include "port.h"

/* There is no cache in front of SRAM, so any size streams from memory; this leaves room for code at -O0. */
#define STRIPED_BYTES 32768U
#define BANK_BYTES 4096U

static uint8_t striped[STRIPED_BYTES] __attribute__((section(".region"), aligned(64)));
static uint8_t bank4[BANK_BYTES] __attribute__((section(".region4"), aligned(64)));
static uint8_t bank5[BANK_BYTES] __attribute__((section(".region5"), aligned(64)));

static const struct port_region regions[] = {
    {.name = "sram-striped", .base = striped, .bytes = sizeof striped},
    {.name = "sram4", .base = bank4, .bytes = sizeof bank4},
    {.name = "sram5", .base = bank5, .bytes = sizeof bank5},
};

bool port_region(uint32_t index, struct port_region *region) {
    if (index >= sizeof regions / sizeof regions[0]) {
        return false;
    }
    *region = regions[index];
    return true;
}
