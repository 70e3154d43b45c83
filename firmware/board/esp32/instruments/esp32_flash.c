/* The words of the memory region `flash`. They have a file of their own, so that the linker script (linker.lf.in) can
 * keep this file in flash. */
#include "esp32_region.h"
#include "region_words.h"

_Static_assert(REGION_FLASH_BYTES == 32768U * sizeof(uintptr_t), "the table has all words of the region");

const uintptr_t esp32_flash_words[] __attribute__((aligned(64))) = {REGION_WORDS_16K(0U), REGION_WORDS_16K(16384U)};
