#include "esp32_region.h"

#include <stdio.h>

#include "esp32_idf.h"
#include "esp32_memory.h"
#include "port.h"

#define REGIONS_MOST 5U
#define TEXT_BYTES 128U

/* Bytes that must stay free in the heap, for other tasks, while a block in a certain bank is searched for */
#define OTHERS_BYTES 32768U

/* The banks of internal memory; region 0 is in the first bank if possible */
static const struct bank {
    const char *name;
    uintptr_t low;
    uintptr_t high;
    uint32_t caps; /* capabilities with which the heap returns blocks of this bank, and possibly of others */
} banks[] = {
#ifdef CONFIG_IDF_TARGET_ESP32
    {"sram2", SOC_DRAM_LOW, SOC_DIRAM_DRAM_LOW, ESP32_MEMORY_CAPS},
    {"sram1", SOC_DIRAM_DRAM_LOW, SOC_DIRAM_DRAM_HIGH, ESP32_MEMORY_CAPS},
#elif defined(CONFIG_IDF_TARGET_ESP32P4)
    {"l2mem", SOC_DRAM_LOW, SOC_DRAM_HIGH, ESP32_MEMORY_CAPS},
    {"spm", SOC_SPM_LOW, SOC_SPM_HIGH, MALLOC_CAP_SPM},
#else
    {"sram1", SOC_DIRAM_DRAM_LOW, SOC_DIRAM_DRAM_HIGH, ESP32_MEMORY_CAPS},
    {"sram2", SOC_DIRAM_DRAM_HIGH, SOC_DRAM_HIGH, ESP32_MEMORY_CAPS},
#endif
};
#define BANKS (sizeof banks / sizeof banks[0])

#ifdef CONFIG_IDF_TARGET_ESP32P4
#define RTC_NAME "lp-ram"
#else
#define RTC_NAME "rtc-slow"
#endif

static RTC_NOINIT_ATTR uint8_t rtc_slow[REGION_RTC_BYTES] __attribute__((aligned(ESP32_MEMORY_ALIGNMENT)));

static struct port_region regions[REGIONS_MOST];
static uint32_t count;
static char text[TEXT_BYTES];

static void add(const char *name, void *base, size_t bytes) {
    if (base != NULL) {
        regions[count++] = (struct port_region){.name = name, .base = base, .bytes = bytes};
    }
}

/* ---- from the heap ---- */

static bool is_in(const struct bank *bank, const void *base, size_t bytes) {
    return (uintptr_t)base >= bank->low && (uintptr_t)base + bytes <= bank->high;
}

/* Allocates a block in a certain bank; returns NULL if there is none. The heap chooses the bank, so blocks are
 * allocated until one is in the wanted bank, while enough memory stays free for others. Meanwhile the other blocks are
 * kept in a list, whose links are inside the blocks; at the end they are freed. */
static void *take_in(const struct bank *bank, size_t bytes) {
    struct other {
        struct other *next;
    } *others = NULL;
    void *found = NULL;
    while (heap_caps_get_free_size(ESP32_MEMORY_CAPS) >= bytes + OTHERS_BYTES) {
        found = esp32_memory_piece(bytes, bank->caps);
        if (found == NULL || is_in(bank, found, bytes)) {
            break;
        }
        struct other *other = found;
        other->next = others;
        others = other;
        found = NULL;
    }
    while (others != NULL) {
        struct other *next = others->next;
        heap_caps_free(others);
        others = next;
    }
    return found;
}

/* Allocates region 0: in its preferred bank if possible, else in any bank. */
static void *take_first(size_t bytes) {
    void *found = take_in(&banks[0], bytes);
    return found != NULL ? found : esp32_memory_piece(bytes, ESP32_MEMORY_CAPS);
}

static uint32_t bank_of(const void *base, size_t bytes) {
    uint32_t index = 0;
    while (index < BANKS && !is_in(&banks[index], base, bytes)) {
        index++;
    }
    return index;
}

static void describe(void) {
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u%s", i > 0 ? ", " : "", regions[i].name,
                                 (unsigned)regions[i].bytes, i + 1U < count ? "" : " bytes");
    }
}

static size_t whole(uint32_t bytes) { return ((size_t)bytes + 63U) / 64U * 64U; }

bool esp32_region_take(uint32_t bytes, uint32_t second_bytes) {
    void *first = take_first(whole(bytes));
    if (first == NULL) {
        return false;
    }
    uint32_t bank = bank_of(first, whole(bytes));
    add(bank < BANKS ? banks[bank].name : "internal", first, whole(bytes));
    if (second_bytes > 0) {
        const struct bank *other = &banks[bank == 0 ? 1 : 0];
        add(other->name, take_in(other, whole(second_bytes)), whole(second_bytes));
    }
    add(RTC_NAME, rtc_slow, sizeof rtc_slow);
    add("psram", esp32_memory_piece(REGION_PSRAM_BYTES, MALLOC_CAP_SPIRAM), REGION_PSRAM_BYTES);
    add("flash", (void *)(uintptr_t)esp32_flash_words, REGION_FLASH_BYTES);
    regions[count - 1U].read_only = true;
    describe();
    return true;
}

void esp32_region_give_back(void) {
    while (count > 0) {
        void *base = regions[--count].base;
        if (base != rtc_slow && !regions[count].read_only) {
            heap_caps_free(base);
        }
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
