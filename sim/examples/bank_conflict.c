// Both cores reading data at full speed: LDM of 4 words, 32 times, each core's code in a bank of its own.
//
// An LDM of 4 words takes 5 cycles: 4 with an address on the bus, 1 without. Alone: 32 * 5, 2 for reading SysTick and 1
// for a NOP. From the same bank two cores take turns: each gets a word in every second cycle, and the cycle without an
// address falls where it would have waited for the other anyway. An LDM takes 8 cycles then: 32 * 8 + 3; the core that
// did not get the first cycle needs 1 more. (SRAM0 and SRAM1 are reached through the addresses at which banks are not
// striped: datasheet 2.6.2.)
#include "chip.h"

#define SRAM0 0x21000000u
#define SRAM1 0x21010000u

#define READ                                                                                                           \
    __asm__ volatile(".syntax unified      \n"                                                                         \
                     "    push {r4-r6, lr} \n"                                                                         \
                     "    ldr  r3, 2f      \n"                                                                         \
                     "    mov  r12, r3     \n"                                                                         \
                     "    nop              \n"                                                                         \
                     "    nop              \n"                                                                         \
                     "    wfi              \n"                                                                         \
                     "    ldr  r6, [r3]    \n"                                                                         \
                     "    nop              \n"                                                                         \
                     "    .rept 32         \n"                                                                         \
                     "    ldmia r0!, {r1, r2, r4, r5} \n"                                                              \
                     "    .endr            \n"                                                                         \
                     "    ldr  r0, [r3]    \n"                                                                         \
                     "    subs r0, r6, r0  \n"                                                                         \
                     "    lsls r0, #8      \n"                                                                         \
                     "    lsrs r0, #8      \n"                                                                         \
                     "    pop  {r4-r6, pc} \n"                                                                         \
                     "    .align 2         \n"                                                                         \
                     "2:  .word 0xe000e018 \n")

MEASURED("sram4") static uint32_t read_from_sram4(uint32_t address) { READ; }
MEASURED("sram5") static uint32_t read_from_sram5(uint32_t address) { READ; }

static void on_both(const char *name, uint32_t address_of_0, uint32_t address_of_1) {
    ask_core_1(read_from_sram5, address_of_1);
    start_line();
    const uint32_t core_0 = read_from_sram4(address_of_0);
    const uint32_t core_1 = core_1_result();
    print_both(name, core_0, core_1);
}

void example(void) {
    start_line();
    print_number("alone, core 0:", read_from_sram4(SRAM0));
    start_core_1(serve);
    on_both("a bank each", SRAM0, SRAM1);
    on_both("one bank", SRAM0, SRAM0);
}
