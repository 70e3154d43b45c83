#include "esp32_region.h"

#include <stdio.h>

#include "esp32_idf.h"
#include "port.h"

#define ALIGNMENT 64U
#define REGIONS_MOST 5U
#define TEXT_BYTES 128U

#ifdef CONFIG_IDF_TARGET_ESP32
#define STATIC_NAME "sram2"
#define HEAP_NAME "sram1"
#define HEAP_LOW SOC_DIRAM_DRAM_LOW
#define HEAP_HIGH SOC_DIRAM_DRAM_HIGH
#elif defined(CONFIG_IDF_TARGET_ESP32P4)
#define STATIC_NAME "l2mem"
#define HEAP_NAME "spm"
#define HEAP_LOW SOC_SPM_LOW
#define HEAP_HIGH SOC_SPM_HIGH
#else
#define STATIC_NAME "sram1"
#define HEAP_NAME "sram2"
#define HEAP_LOW SOC_DIRAM_DRAM_HIGH
#define HEAP_HIGH SOC_DRAM_HIGH
#endif

#ifdef CONFIG_IDF_TARGET_ESP32P4
#define RTC_NAME "lp-ram"
#else
#define RTC_NAME "rtc-slow"
#endif

static uint8_t sram[REGION_0_BYTES] __attribute__((aligned(ALIGNMENT)));
static RTC_NOINIT_ATTR uint8_t rtc_slow[REGION_RTC_BYTES] __attribute__((aligned(ALIGNMENT)));

static struct port_region regions[REGIONS_MOST];
static uint32_t count;
static char text[TEXT_BYTES];

static void add(const char *name, void *base, size_t bytes) {
    if (base != NULL) {
        regions[count++] = (struct port_region){.name = name, .base = base, .bytes = bytes};
    }
}

/* A block of the heap between two addresses; NULL if there is none. The heap gives what it likes: what lies elsewhere
 * is kept until one has come that does not, as a list in the blocks themselves. */
static void *take_between(uintptr_t low, uintptr_t high, size_t bytes) {
    struct other {
        struct other *next;
    } *others = NULL;
    void *found;
    for (;;) {
        found = heap_caps_aligned_alloc(ALIGNMENT, bytes, MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT);
        if (found == NULL || ((uintptr_t)found >= low && (uintptr_t)found + bytes <= high)) {
            break;
        }
        struct other *other = found;
        other->next = others;
        others = other;
    }
    while (others != NULL) {
        struct other *next = others->next;
        heap_caps_free(others);
        others = next;
    }
    return found;
}

void esp32_region_start(void) {
    add(STATIC_NAME, sram, sizeof sram);
    add(HEAP_NAME, take_between(HEAP_LOW, HEAP_HIGH, REGION_HEAP_BYTES), REGION_HEAP_BYTES);
    add(RTC_NAME, rtc_slow, sizeof rtc_slow);
    add("psram", heap_caps_aligned_alloc(ALIGNMENT, REGION_PSRAM_BYTES, MALLOC_CAP_SPIRAM), REGION_PSRAM_BYTES);
    add("flash", (void *)(uintptr_t)esp32_flash_words, REGION_FLASH_BYTES);
    regions[count - 1U].read_only = true;
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u%s", i > 0 ? ", " : "", regions[i].name,
                                 (unsigned)regions[i].bytes, i + 1U < count ? "" : " bytes");
    }
}

const char *esp32_region_text(void) { return text; }

bool port_region(uint32_t index, struct port_region *region) {
    if (index >= count) {
        return false;
    }
    *region = regions[index];
    return true;
}
