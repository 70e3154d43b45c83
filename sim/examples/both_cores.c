// Both cores computing: the same loop, alone and on both cores at once, from a bank for each and from one bank.
//
// A turn takes 4 cycles (ADDS 1, SUBS 1, BNE taken 2), the last 3: N turns between two readings of SysTick are
// 4 * N - 1 + 2 cycles, and 1 for the NOP that puts the loop on a word boundary: 4002 for 1000. A core fetches once for
// two instructions, so that two cores with banks of their own never meet. From one bank they ask for their first word
// in the same cycle after their start; one of them loses that cycle, and since each then fetches in every second cycle
// of its own, they never meet again.
#include "chip.h"

#define TURNS 1000

#define WORK                                                                                                           \
    __asm__ volatile(".syntax unified   \n"                                                                            \
                     "    ldr  r3, 2f   \n"                                                                            \
                     "    movs r2, #0   \n"                                                                            \
                     "    nop           \n"                                                                            \
                     "    wfi           \n"                                                                            \
                     "    ldr  r1, [r3] \n"                                                                            \
                     "    nop           \n"                                                                            \
                     "1:  adds r2, #1   \n"                                                                            \
                     "    subs r0, #1   \n"                                                                            \
                     "    bne  1b       \n"                                                                            \
                     "    ldr  r0, [r3] \n"                                                                            \
                     "    subs r0, r1, r0 \n"                                                                          \
                     "    lsls r0, #8   \n"                                                                            \
                     "    lsrs r0, #8   \n"                                                                            \
                     "    bx   lr       \n"                                                                            \
                     "    .align 2      \n"                                                                            \
                     "2:  .word 0xe000e018 \n")

MEASURED("sram4") static uint32_t work_in_sram4(uint32_t turns) { WORK; }
MEASURED("sram5") static uint32_t work_in_sram5(uint32_t turns) { WORK; }

static void on_both(const char *name, uint32_t (*function_of_1)(uint32_t)) {
    ask_core_1(function_of_1, TURNS);
    start_line();
    const uint32_t core_0 = work_in_sram4(TURNS);
    const uint32_t core_1 = core_1_result();
    print_both(name, core_0, core_1);
}

void example(void) {
    start_line();
    print_number("alone, core 0:", work_in_sram4(TURNS));
    start_core_1(serve);
    on_both("a bank each", work_in_sram5);
    on_both("one bank", work_in_sram4);
}
