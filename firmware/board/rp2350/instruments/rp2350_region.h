/* Memory regions for benchmarks: banks 8 and 9 of SRAM, as far as memory.ld leaves them, and a part of each group of
 * striped banks: of banks 0 to 3, which also hold code, data and stacks, and of banks 4 to 7. The sizes are in bytes,
 * without suffixes, because they also become text. */
#ifndef RP2350_REGION_H
#define RP2350_REGION_H

/* Sizes of the regions in the striped banks. They may be small, because SRAM has no cache, so every access reaches the
 * banks. */
#define REGION_STRIPED_BYTES 8192
#define REGION_BANK8_BYTES 2816
#define REGION_BANK9_BYTES 3072
/* Size of the region in flash, if the image is executed there. Each half of the region is larger than the flash cache
 * of 16 KiB, which both cores share. */
#define REGION_FLASH_BYTES 65536

#define REGION_TEXT_OF(token) #token
#define REGION_TEXT(macro) REGION_TEXT_OF(macro)

/* Names and sizes of the regions in SRAM */
#define REGIONS_TEXT                                                                                                   \
    "sram-striped " REGION_TEXT(REGION_STRIPED_BYTES) ", sram4-7 " REGION_TEXT(                                        \
        REGION_STRIPED_BYTES) ", sram8 " REGION_TEXT(REGION_BANK8_BYTES) ", sram9 " REGION_TEXT(REGION_BANK9_BYTES)

#endif
