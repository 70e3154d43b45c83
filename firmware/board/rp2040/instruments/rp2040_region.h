/* Memory regions for benchmarks: banks 4 and 5 of SRAM, except their last 512 bytes (memory.ld), and a part of the
 * striped banks, which also hold code, data and stacks. The sizes are in bytes, without suffixes, because they also
 * become text. */
#ifndef RP2040_REGION_H
#define RP2040_REGION_H

/* Size of the region in the striped banks. It may be small, because SRAM has no cache, so every access reaches the
 * banks. It leaves room for code that is compiled with -O0. */
#define REGION_STRIPED_BYTES 8192
#define REGION_BANK_BYTES 3584
/* Size of the region in flash, if the image is executed there. Each half of the region is larger than the flash cache
 * of 16 KiB, which both cores share. */
#define REGION_FLASH_BYTES 65536

#define REGION_TEXT_OF(token) #token
#define REGION_TEXT(macro) REGION_TEXT_OF(macro)

/* Names and sizes of the regions in SRAM */
#define REGIONS_TEXT                                                                                                   \
    "sram-striped " REGION_TEXT(REGION_STRIPED_BYTES) ", sram4 " REGION_TEXT(                                          \
        REGION_BANK_BYTES) ", sram5 " REGION_TEXT(REGION_BANK_BYTES)

#endif
