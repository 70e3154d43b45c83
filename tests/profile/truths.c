// Programs with one known cost each, in assembler so that each cycle follows from the documents (docs/simulator.md).
// The macro TRUTH says which. The code of core 0 is in SRAM4, that of core 1 in SRAM5.
#include "chip.h"

#define LOCK REGISTER(SIO + 0x100)
#define NVIC_ISPR REGISTER(0xe000e200)
#define TABLE 0x10100000u // in flash, behind the program

// Numbers of the macro TRUTH.
#define HOT_SPOT 0
#define A_LOCK 1
#define A_BANK 2
#define AN_EVICTION 3
#define A_STORM 4
#define A_SLEEPER 5

volatile uint32_t turn, entered;

// HOT_SPOT: r0 turns of SUBS 1, BNE 2 or 1; BX 2.
MEASURED("sram4") static void hot(uint32_t turns) {
    __asm__ volatile(".syntax unified      \n"
                     "1:  subs r0, #1       \n"
                     "    bne  1b           \n"
                     "    bx   lr           \n");
}

// A_LOCK: core 0 has the lock, and gives it back after r0 turns of 3 cycles; core 1 asks for it in turns of 4.
MEASURED("sram4") static void hold(uint32_t turns) {
    __asm__ volatile(".syntax unified      \n"
                     "    ldr  r3, 2f       \n"
                     "    wfi               \n"
                     "holding:              \n"
                     "1:  subs r0, #1       \n"
                     "    bne  1b           \n"
                     "    str  r0, [r3]     \n"
                     "    bx   lr           \n"
                     "    .align 2          \n"
                     "2:  .word 0xd0000100  \n");
}

MEASURED("sram5") static uint32_t want(uint32_t unused) {
    __asm__ volatile(".syntax unified      \n"
                     "    ldr  r3, 2f       \n"
                     "    wfi               \n"
                     "1:  ldr  r1, [r3]     \n"
                     "    cmp  r1, #0       \n"
                     "    beq  1b           \n"
                     "    str  r1, [r3]     \n"
                     "    bx   lr           \n"
                     "    .align 2          \n"
                     "2:  .word 0xd0000100  \n");
}

// A_BANK: 32 LDMs of 4 words, as in bank_conflict.c: 5 cycles alone, 8 beside another one.
#define READ(awake)                                                                                                    \
    __asm__ volatile(".syntax unified      \n"                                                                         \
                     "    push {r4, r5}     \n"                                                                        \
                     "    wfi               \n" awake ":                   \n"                                         \
                     "    .rept 32          \n"                                                                        \
                     "    ldmia r0!, {r1, r2, r4, r5} \n"                                                              \
                     "    .endr             \n"                                                                        \
                     "    pop  {r4, r5}     \n"                                                                        \
                     "    bx   lr           \n")

MEASURED("sram4") static void read_on_core_0(uint32_t address) { READ("reading_on_core_0"); }
MEASURED("sram5") static uint32_t read_on_core_1(uint32_t address) { READ("reading_on_core_1"); }

// AN_EVICTION: the cache has two ways of 8 kB. By turns, core 0 reads one word, and core 1 two that belong into the same
// set.
__attribute__((noipa, section(".sram4"))) static void mine(void) {
    for (int i = 0; i < 50; i++) {
        (void)REGISTER(TABLE);
        turn = 1;
        while (turn != 0) {
        }
    }
}

__attribute__((noipa, section(".sram5"))) static void theirs(void) {
    for (;;) {
        while (turn == 0) {
        }
        (void)REGISTER(TABLE + 0x2000);
        (void)REGISTER(TABLE + 0x4000);
        turn = 0;
    }
}

// A_STORM: a handler that asks for itself 1,000 times.
__attribute__((noipa, section(".sram4"))) static void on_storm(void) {
    if (++entered < 1000) {
        NVIC_ISPR = 1;
    }
}

static void sleep(void) {
    for (;;) {
        __asm__ volatile("wfi");
    }
}

__attribute__((noipa)) static void begin(void) { __asm__ volatile("" : : : "memory"); }
__attribute__((noipa)) static void end(void) { __asm__ volatile("" : : : "memory"); }

void example(void) {
#if TRUTH == HOT_SPOT
    begin();
    hot(20000);
#elif TRUTH == A_LOCK
    (void)LOCK;
    start_core_1(serve);
    ask_core_1(want, 0);
    start_line();
    begin();
    hold(1000);
    (void)core_1_result();
#elif TRUTH == A_BANK
    start_core_1(serve);
    ask_core_1(read_on_core_1, 0x21000000);
    start_line();
    begin();
    read_on_core_0(0x21000000);
    (void)core_1_result();
#elif TRUTH == AN_EVICTION
    start_core_1(theirs);
    begin();
    mine();
#elif TRUTH == A_STORM
    set_handler(IRQ_TIMER_0, on_storm);
    begin();
    NVIC_ISER = 1;
    NVIC_ISPR = 1;
    __asm__ volatile("cpsie i");
    while (entered < 1000) {
    }
    __asm__ volatile("cpsid i");
#elif TRUTH == A_SLEEPER
    start_core_1(sleep);
    hot(1000);
    begin();
    hot(20000);
#endif
    end();
}
