// Both cores read one word at the same time, as in "Bus behavior characterization" (Z. Madaoui, 2024): each core's code
// is in a bank of its own, the word in SRAM0, which core 0 was the last to touch. A NOP and a read take one cycle and
// two, and what a core takes more, it waited for the other one.
#include "accuracy.h"

#define BUS_PRIORITY REGISTER(0x40030000)
enum { PROC0 = 1 << 0, PROC1 = 1 << 4, RESET_BUSCTRL = 1 << 1 };
#define SHARED 0x2100f000u // SRAM0, not striped
#define OTHER 0x2101f000u  // SRAM1

// SysTick before and after COUNT times INSTRUCTION, in both cores from the same cycle on: see start_line().
#define TIMED(count, instruction)                                                                                      \
    __asm__ volatile(".syntax unified      \n"                                                                         \
                     "    ldr  r3, 2f      \n"                                                                         \
                     "    nop              \n"                                                                         \
                     "    nop              \n"                                                                         \
                     "    wfi              \n"                                                                         \
                     "    ldr  r2, [r3]    \n"                                                                         \
                     "    .rept " #count " \n"                                                                         \
                     "    " instruction "  \n"                                                                         \
                     "    .endr            \n"                                                                         \
                     "    ldr  r0, [r3]    \n"                                                                         \
                     "    subs r0, r2, r0  \n"                                                                         \
                     "    subs r0, #2      \n" /* the reading of SysTick itself */                                     \
                     "    lsls r0, #8      \n"                                                                         \
                     "    lsrs r0, #8      \n"                                                                         \
                     "    bx   lr          \n"                                                                         \
                     "    .align 2         \n"                                                                         \
                     "2:  .word 0xe000e018 \n")
#define TIMED_FUNCTION(name, bank, count, instruction)                                                                 \
    MEASURED(bank) static uint32_t name(uint32_t address __attribute__((unused))) { TIMED(count, instruction); }

TIMED_FUNCTION(read_0, "sram4.code", 1, "ldr r1, [r0]")
TIMED_FUNCTION(read_1, "sram5.code", 1, "ldr r1, [r0]")
TIMED_FUNCTION(reads_0, "sram4.code", 100, "ldr r1, [r0]")
TIMED_FUNCTION(reads_1, "sram5.code", 100, "ldr r1, [r0]")
TIMED_FUNCTION(writes_0, "sram4.code", 100, "str r1, [r0]")
TIMED_FUNCTION(nops_0, "sram4.code", 100, "nop")

static void both(const char *name_0, const char *name_1, uint32_t (*on_0)(uint32_t), uint32_t (*on_1)(uint32_t),
                 uint32_t address_1, uint32_t priority) {
    BUS_PRIORITY = priority;
    ask_core_1(on_1, address_1);
    start_line();
    REGISTER(SHARED) = 77;
    const uint32_t core_0 = on_0(SHARED);
    const uint32_t core_1 = core_1_result();
    print_number(name_0, core_0);
    print_number(name_1, core_1);
}

void example(void) {
    speed_flash_up();
    start_line();
    print_number("100 reads:", reads_0(SHARED));
    start_line();
    print_number("100 writes:", writes_0(SHARED));
    start_line();
    print_number("100 NOPs:", nops_0(SHARED));
    release(RESET_BUSCTRL);
    start_core_1(serve);
    const uint32_t equal = PROC0 | PROC1;
    both("a read, core 0:", "a read, core 1:", read_0, read_1, SHARED, equal);
    both("a read of another bank, core 0:", "a read of another bank, core 1:", read_0, read_1, OTHER, equal);
    both("a read before core 1, core 0:", "a read before core 1, core 1:", read_0, read_1, SHARED, PROC0);
    both("100 reads, core 0:", "100 reads, core 1:", reads_0, reads_1, SHARED, equal);
    both("100 reads before core 1, core 0:", "100 reads before core 1, core 1:", reads_0, reads_1, SHARED, PROC0);
}
