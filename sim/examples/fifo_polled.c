// FIFO ping-pong, polled: core 0 sends a word, core 1 sends it back, 100 times.
//
// A look at FIFO_ST takes a turn of 4 cycles (LDR from the I/O port 1, LSRS 1, BCC taken 2). A word that was written in
// one cycle is seen from the next on. Let core 1 look d cycles after core 0 has written, 1 <= d <= 4; it writes back 4
// cycles after that look and goes on looking 7 after. Core 0, which looks 1, 5, 9 ... cycles after its write, sees the
// answer 9 cycles after it for every d, and writes again 7 cycles later: a round trip takes 16 cycles. (d becomes d -
// 1, or 4 after 1.) The last BNE is not taken: 16 * 100 - 1, and 2.
#include "chip.h"

MEASURED("sram4") static uint32_t ping(uint32_t rounds) {
    __asm__ volatile(".syntax unified      \n"
                     "    push {r4, lr}    \n"
                     "    ldr  r3, 3f      \n"
                     "    ldr  r4, 4f      \n"
                     "    nop              \n"
                     "    wfi              \n"
                     "    ldr  r2, [r4]    \n"
                     "1:  str  r0, [r3, #0x54] \n"
                     "2:  ldr  r1, [r3, #0x50] \n"
                     "    lsrs r1, #1      \n"
                     "    bcc  2b          \n"
                     "    ldr  r1, [r3, #0x58] \n"
                     "    subs r0, #1      \n"
                     "    bne  1b          \n"
                     "    ldr  r0, [r4]    \n"
                     "    subs r0, r2, r0  \n"
                     "    lsls r0, #8      \n"
                     "    lsrs r0, #8      \n"
                     "    pop  {r4, pc}    \n"
                     "    .align 2         \n"
                     "3:  .word 0xd0000000 \n"
                     "4:  .word 0xe000e018 \n");
}

MEASURED("sram5") static void pong(void) {
    __asm__ volatile(".syntax unified      \n"
                     "    ldr  r3, 2f      \n"
                     "1:  ldr  r1, [r3, #0x50] \n"
                     "    lsrs r1, #1      \n"
                     "    bcc  1b          \n"
                     "    ldr  r1, [r3, #0x58] \n"
                     "    str  r1, [r3, #0x54] \n"
                     "    b    1b          \n"
                     "    .align 2         \n"
                     "2:  .word 0xd0000000 \n");
}

void example(void) {
    start_core_1(pong);
    start_line();
    print_number("100 round trips:", ping(100));
}
