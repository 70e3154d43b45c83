// Handing a spinlock over: lock 0 from core 0 to core 1, lock 1 back, 100 times.
//
// Who wants a lock reads it in turns of 4 cycles (LDR from the I/O port 1, CMP 1, BEQ taken 2) until it is free. In one
// cycle core 0 comes first (datasheet 2.3.1.3): core 1 gets a lock in the very cycle in which core 0 gives it back,
// core 0 in the cycle after. Let core 1 get lock 0 d cycles after core 0 has given it back, 0 <= d <= 3; it gives lock
// 1 back 3 cycles later and looks again 6 after it got lock 0. Core 0, which looks 1, 5, 9 ... cycles after giving
// back, gets lock 1 at 5 if d is 0 or 1, else at 9, and gives lock 0 back 6 cycles later: 11 or 15 cycles a round. d
// goes 3, 2, 1, 0, 3 ...: 52 cycles for four rounds. The last BNE is not taken: 25 * 52 - 1, and 2.
#include "chip.h"

MEASURED("sram4") static uint32_t ping(uint32_t rounds) {
    __asm__ volatile(".syntax unified      \n"
                     "    push {r4, lr}    \n"
                     "    ldr  r3, 3f      \n"
                     "    ldr  r4, 4f      \n"
                     "    nop              \n"
                     "    wfi              \n"
                     "    ldr  r2, [r4]    \n"
                     "1:  str  r0, [r3, #0] \n"
                     "2:  ldr  r1, [r3, #4] \n"
                     "    cmp  r1, #0      \n"
                     "    beq  2b          \n"
                     "    subs r0, #1      \n"
                     "    bne  1b          \n"
                     "    ldr  r0, [r4]    \n"
                     "    subs r0, r2, r0  \n"
                     "    lsls r0, #8      \n"
                     "    lsrs r0, #8      \n"
                     "    pop  {r4, pc}    \n"
                     "    .align 2         \n"
                     "3:  .word 0xd0000100 \n"
                     "4:  .word 0xe000e018 \n");
}

MEASURED("sram5") static void pong(void) {
    __asm__ volatile(".syntax unified      \n"
                     "    ldr  r3, 2f      \n"
                     "1:  ldr  r1, [r3, #0] \n"
                     "    cmp  r1, #0      \n"
                     "    beq  1b          \n"
                     "    str  r1, [r3, #4] \n"
                     "    b    1b          \n"
                     "    .align 2         \n"
                     "2:  .word 0xd0000100 \n");
}

void example(void) {
    (void)REGISTER(SIO + 0x100); // take both
    (void)REGISTER(SIO + 0x104);
    start_core_1(pong);
    start_line();
    print_number("100 rounds:", ping(100));
}
