/* Memory that benchmarks may use, in bytes. Internal memory has no cache in front of it: caches are for flash and PSRAM
 * (32 KiB for each core of an ESP32, 32 or 64 KiB for both of an ESP32-S3). Any size of it streams, and region 0 is
 * larger than such a cache all the same.
 *
 *                 ESP32 (TRM table 1-1)               ESP32-S3 (TRM table 4-2)
 *   sram1         0x3FFE0000, from the heap           0x3FC88000, static; region 0
 *   sram2         0x3FFB0000, static; region 0        0x3FCF0000, from the heap; the rest of it may be data cache
 *   rtc-slow      0x50000000, behind a slower bus     0x50000000
 *   psram         outside, behind the cache; where there is one and CONFIG_SPIRAM is set
 *   flash         outside, behind the cache, and read only; each half is larger than an ESP32's cache. There with code
 *                 in IRAM, too (linker.lf.in)
 *
 * An ESP32-P4 (soc.h of ESP-IDF): l2mem, 0x4FF00000, static, region 0; spm, 0x30100000, 8 KiB beside the cores, from
 * the heap as far as it is free there; lp-ram, 0x50108000; psram and flash likewise. There internal memory, too, is
 * behind a cache of level 1.
 *
 * Not here: RTC fast memory, which core 1 of an ESP32 cannot reach; and memory for code (SRAM0 of an ESP32), which
 * takes accesses of 32 bits only, while messages are bytes.
 *
 * PSRAM takes no atomic operation (S32C1I) on an ESP32, nor does RTC memory. No transport has one in its memory: a ring
 * between two ends loads and stores. */
#ifndef ESP32_REGION_H
#define ESP32_REGION_H

#include <stdint.h>

#define REGION_0_BYTES 40960U
#define REGION_HEAP_BYTES 16384U
#define REGION_RTC_BYTES 4096U
#define REGION_PSRAM_BYTES 131072U
#define REGION_FLASH_BYTES 131072U

/* The words in flash. */
extern const uintptr_t esp32_flash_words[REGION_FLASH_BYTES / sizeof(uintptr_t)];

/* Takes those of the heap. To be called once, before port_region(). What is not there is left out. */
void esp32_region_start(void);

/* Their names and sizes, as the value of the condition `memory.regions`. */
const char *esp32_region_text(void);

#endif
