/* Memory regions for benchmarks, in bytes. Internal memory has no cache: caches are for flash and PSRAM (32 KiB for
 * each core of an ESP32, 32 or 64 KiB for both of an ESP32-S3). Any size of it streams.
 *
 *                 ESP32 (TRM table 1-1)               ESP32-S3 (TRM table 4-2)
 *   sram1         0x3FFE0000                          0x3FC88000; region 0, if there is room
 *   sram2         0x3FFB0000; region 0, if room       0x3FCF0000; the rest of it may be data cache
 *   rtc-slow      0x50000000, behind a slower bus     0x50000000
 *   psram         external, cached; if present and CONFIG_SPIRAM is set
 *   flash         external, cached, and read-only; each half is larger than an ESP32's cache. There also with code in
 *                 IRAM (linker.lf.in)
 *
 * An ESP32-P4 (soc.h of ESP-IDF): l2mem, 0x4FF00000, region 0; spm, 0x30100000, 8 KiB next to the cores, if the second
 * region is small enough for it; lp-ram, 0x50108000; psram and flash as above. There internal memory also has a cache,
 * of level 1.
 *
 * Region 0 and the one in the other bank come from the heap, and are named after their bank. If region 0's preferred
 * bank is full, it has the other one, and the other region the first, or none.
 *
 * Not included: RTC fast memory, which core 1 of an ESP32 cannot access; and memory for code (SRAM0 of an ESP32), which
 * takes 32-bit accesses only, while messages are bytes.
 *
 * PSRAM of an ESP32, and RTC memory, do not support the atomic operation (S32C1I). No transport uses one in its memory:
 * a ring between two ends loads and stores. */
#ifndef ESP32_REGION_H
#define ESP32_REGION_H

#include <stdbool.h>
#include <stdint.h>

#define REGION_RTC_BYTES 4096U
#define REGION_PSRAM_BYTES 131072U
#define REGION_FLASH_BYTES 131072U

/* The words in flash */
extern const uintptr_t esp32_flash_words[REGION_FLASH_BYTES / sizeof(uintptr_t)];

/* Allocates those of the heap, each rounded up to a multiple of 64 bytes: before port_region(). Returns false, with
 * nothing allocated, if there is no memory for region 0. Regions of 0 bytes, or not available, are left out; so is the
 * second one if too little would be left for others. */
bool esp32_region_take(uint32_t bytes, uint32_t second_bytes);

/* Frees them; then there is none. */
void esp32_region_give_back(void);

/* Their names and sizes, as the value of the condition `memory.regions` */
const char *esp32_region_text(void);

#endif
