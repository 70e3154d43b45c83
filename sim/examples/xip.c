// Execute in place: 32 words of flash through the cache, first not there, then there, then around the cache.
//
// A load that hits takes 2 cycles: 32 * 2, 2 for reading SysTick and 1 for an ADDS on the way. A miss waits for one
// word of the flash: 8 clocks of address and mode, 4 of waiting and 8 of data (the set-up of the SDK's
// boot2_w25q080), each 4 cycles long: 80, and what the serial interface needs around them, which no document gives
// (sim/src/chip/bus/ssi.rs assumes 4). The words lie 8 bytes apart: one per line of the cache. A miss fills only the
// word that was asked for, so that the other word of each line misses too.
#include "chip.h"

#define XIP_FLUSH REGISTER(0x14000004)
#define XIP_CTR_HIT REGISTER(0x1400000c)
#define XIP_CTR_ACC REGISTER(0x14000010)
#define CACHED 0x10000000u
#define UNCACHED 0x13000000u

MEASURED("sram4") static uint32_t read(uint32_t address) {
    __asm__ volatile(".syntax unified      \n"
                     "    ldr  r3, 2f      \n"
                     "    nop              \n"
                     "    nop              \n"
                     "    wfi              \n"
                     "    ldr  r2, [r3]    \n"
                     "    .set i, 0        \n"
                     "    .rept 16         \n"
                     "    ldr  r1, [r0, #i] \n"
                     "    .set i, i + 8    \n"
                     "    .endr            \n"
                     "    adds r0, #128    \n"
                     "    .set i, 0        \n"
                     "    .rept 16         \n"
                     "    ldr  r1, [r0, #i] \n"
                     "    .set i, i + 8    \n"
                     "    .endr            \n"
                     "    ldr  r0, [r3]    \n"
                     "    subs r0, r2, r0  \n"
                     "    lsls r0, #8      \n"
                     "    lsrs r0, #8      \n"
                     "    bx   lr          \n"
                     "    .align 2         \n"
                     "2:  .word 0xe000e018 \n");
}

static void measure(const char *name, uint32_t address) {
    start_line();
    XIP_CTR_HIT = 0;
    XIP_CTR_ACC = 0;
    print_number(name, read(address));
}

void example(void) {
    XIP_FLUSH = 1;
    (void)XIP_FLUSH; // waits until it is done
    const uint32_t somewhere = 0x2000;
    measure("miss:", CACHED + somewhere);
    measure("hit:", CACHED + somewhere);
    measure("other half, miss:", CACHED + somewhere + 4);
    measure("other half, hit:", CACHED + somewhere + 4);
    measure("around the cache:", UNCACHED + somewhere);
}
