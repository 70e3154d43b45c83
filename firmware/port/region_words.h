/* The words of a read-only memory region (port.h), as an initialiser for a table of uintptr_t. The compiler computes
 * them, so the build needs no other tool. */
#ifndef REGION_WORDS_H
#define REGION_WORDS_H

#include "port.h"

#define REGION_WORD(i) ((uintptr_t)(i) * PORT_REGION_STEP)
#define REGION_WORDS_4(i) REGION_WORD(i), REGION_WORD((i) + 1U), REGION_WORD((i) + 2U), REGION_WORD((i) + 3U)
#define REGION_WORDS_16(i)                                                                                             \
    REGION_WORDS_4(i), REGION_WORDS_4((i) + 4U), REGION_WORDS_4((i) + 8U), REGION_WORDS_4((i) + 12U)
#define REGION_WORDS_64(i)                                                                                             \
    REGION_WORDS_16(i), REGION_WORDS_16((i) + 16U), REGION_WORDS_16((i) + 32U), REGION_WORDS_16((i) + 48U)
#define REGION_WORDS_256(i)                                                                                            \
    REGION_WORDS_64(i), REGION_WORDS_64((i) + 64U), REGION_WORDS_64((i) + 128U), REGION_WORDS_64((i) + 192U)
#define REGION_WORDS_1K(i)                                                                                             \
    REGION_WORDS_256(i), REGION_WORDS_256((i) + 256U), REGION_WORDS_256((i) + 512U), REGION_WORDS_256((i) + 768U)
#define REGION_WORDS_4K(i)                                                                                             \
    REGION_WORDS_1K(i), REGION_WORDS_1K((i) + 1024U), REGION_WORDS_1K((i) + 2048U), REGION_WORDS_1K((i) + 3072U)
#define REGION_WORDS_16K(i)                                                                                            \
    REGION_WORDS_4K(i), REGION_WORDS_4K((i) + 4096U), REGION_WORDS_4K((i) + 8192U), REGION_WORDS_4K((i) + 12288U)

#endif
