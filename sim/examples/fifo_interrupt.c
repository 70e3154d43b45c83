// FIFO ping-pong by interrupt: both cores sleep; the handler of each reads the word and sends it on, 100 times.
//
// Core 0 writes in cycle w. The interrupt of core 1 is up in w + 1, reaches the core 3 cycles later, its handler's
// first instruction runs 15 behind that (Cortex-M0+ TRM 3.6.1), and it writes 3 cycles after that (LDR literal 2, LDR
// FIFO_RD 1, then STR FIFO_WR): in w + 22. The handler of core 0 runs from w + 23 + 18 on and writes 5 cycles later
// (LDR literal 2, LDR 1, SUBS 1, BEQ 1): a round trip takes 46 cycles. Both are back in WFI before the next word: 13
// cycles for the return, 5 at most to fall asleep. At the end the handler of core 0 returns 6 cycles after its begin,
// which takes 13; CMP 1, BNE 1: 99 * 46 + 41 + 6 + 13 + 2, and 2 between the first reading of SysTick and the first
// write: 4618.
#include "chip.h"

MEASURED("sram4") static uint32_t ping(uint32_t rounds) {
    __asm__ volatile(".syntax unified      \n"
                     "    push {r4-r6, lr} \n"
                     "    mov  r4, r0      \n"
                     "    ldr  r3, 2f      \n"
                     "    ldr  r6, 3f      \n"
                     "    nop              \n"
                     "    cpsie i          \n"
                     "    ldr  r5, [r6]    \n"
                     "    str  r4, [r3, #0x54] \n"
                     "1:  wfi              \n"
                     "    cmp  r4, #0      \n"
                     "    bne  1b          \n"
                     "    ldr  r0, [r6]    \n"
                     "    cpsid i          \n"
                     "    subs r0, r5, r0  \n"
                     "    lsls r0, #8      \n"
                     "    lsrs r0, #8      \n"
                     "    pop  {r4-r6, pc} \n"
                     "    .align 2         \n"
                     "2:  .word 0xd0000000 \n"
                     "3:  .word 0xe000e018 \n");
}

// Counts down in r4, which ping() keeps for it.
MEASURED("sram4") static void handler_0(void) {
    __asm__ volatile(".syntax unified      \n"
                     "    ldr  r3, 2f      \n"
                     "    ldr  r1, [r3, #0x58] \n"
                     "    subs r4, #1      \n"
                     "    beq  1f          \n"
                     "    str  r1, [r3, #0x54] \n"
                     "1:  bx   lr          \n"
                     "    .align 2         \n"
                     "2:  .word 0xd0000000 \n");
}

MEASURED("sram5") static void handler_1(void) {
    __asm__ volatile(".syntax unified      \n"
                     "    ldr  r3, 1f      \n"
                     "    ldr  r1, [r3, #0x58] \n"
                     "    str  r1, [r3, #0x54] \n"
                     "    bx   lr          \n"
                     "    .align 2         \n"
                     "1:  .word 0xd0000000 \n");
}

// Sleeps in SRAM5, so as not to fetch from where core 0 has its code.
MEASURED("sram5") static void pong(void) {
    __asm__ volatile("    cpsie i          \n"
                     "1:  wfi              \n"
                     "    b    1b          \n");
}

static void core_1(void) {
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_SIO_PROC1;
    pong();
}

void example(void) {
    set_handler(IRQ_SIO_PROC0, handler_0);
    set_handler(IRQ_SIO_PROC1, handler_1);
    start_core_1(core_1);
    const uint32_t now = TIMER_TIMERAWL;
    while (TIMER_TIMERAWL - now < 100) { // until core 1 sleeps
    }
    while ((SIO_FIFO_ST & FIFO_VLD) != 0) {
        (void)SIO_FIFO_RD;
    }
    SIO_FIFO_ST = 0;
    NVIC_ICER = ~0u;
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_SIO_PROC0;
    print_number("100 round trips:", ping(100));
}
