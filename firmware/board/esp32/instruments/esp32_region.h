/* Memory regions for benchmarks, with their addresses. On the ESP32 and ESP32-S3 internal memory has no cache, so every
 * access reaches it, however small the region. Caches there are for flash and PSRAM only (32 KiB for each core of an
 * ESP32, 32 or 64 KiB for both cores of an ESP32-S3).
 *
 *                 ESP32 (TRM table 1-1)               ESP32-S3 (TRM table 4-2)
 *   sram1         0x3FFE0000                          0x3FC88000; region 0, if there is room
 *   sram2         0x3FFB0000; region 0, if room       0x3FCF0000; the rest of it may be data cache
 *   rtc-slow      0x50000000, behind a slower bus     0x50000000
 *   psram         external, cached; if present and CONFIG_SPIRAM is set
 *   flash         external, cached, and read-only; each half is larger than an ESP32's cache. It stays in flash
 *                 even if the code is in IRAM (linker.lf.in)
 *
 * ESP32-P4 (soc.h of ESP-IDF): l2mem at 0x4FF00000 is region 0. spm at 0x30100000 has 8 KiB next to the cores; it is
 * used if the second region is small enough for it. lp-ram is at 0x50108000; psram and flash are as above. On this chip
 * internal memory also has a cache, of level 1.
 *
 * Region 0 and the region in the other bank come from the heap, and are named after their bank. If region 0's preferred
 * bank is full, region 0 is in the other bank, and the second region is in the preferred one or does not exist.
 *
 * Two kinds of memory are not used: RTC fast memory, which core 1 of an ESP32 cannot access, and memory for code (SRAM0
 * of an ESP32), which takes 32-bit accesses only, while messages are bytes.
 *
 * PSRAM of an ESP32 and RTC memory do not support the atomic operation (S32C1I). No transport uses atomic operations in
 * such memory: a ring between two ends needs only loads and stores. */
#ifndef ESP32_REGION_H
#define ESP32_REGION_H

#include <stdbool.h>
#include <stdint.h>

#define REGION_RTC_BYTES 4096U
#define REGION_PSRAM_BYTES 131072U
#define REGION_FLASH_BYTES 131072U

/* The words of the region in flash */
extern const uintptr_t esp32_flash_words[REGION_FLASH_BYTES / sizeof(uintptr_t)];

/* Allocates the regions that come from the heap, each rounded up to a multiple of 64 bytes. Call it before
 * port_region(). Returns false, with nothing allocated, if there is no memory for region 0. A region of 0 bytes, or one
 * that is not available, is left out; so is the second region if it would leave too little memory for others. */
bool esp32_region_take(uint32_t bytes, uint32_t second_bytes);

/* Frees the regions that come from the heap. From then on port_region() returns false. */
void esp32_region_give_back(void);

/* Names and sizes of the regions: the value of the condition `memory.regions`, which is stored with each run */
const char *esp32_region_text(void);

#endif
