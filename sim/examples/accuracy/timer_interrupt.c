// From a write that forces an interrupt of the TIMER to the reading of SysTick in its handler, as in "Bus behavior
// characterization" (Z. Madaoui, 2024), with the instructions that stand before the reading there.
#include "accuracy.h"

#define TIMER_INTF 0x4005403cu
static volatile uint32_t answered;

__attribute__((naked, section(".sram4.code"))) static void handle(void) {
    __asm__ volatile(".syntax unified   \n"
                     "   push {r7, lr}  \n"
                     "   add  r7, sp, #0 \n"
                     "   sub  sp, #32   \n"
                     "   ldr  r1, 1f    \n"
                     "   ldr  r0, [r1]  \n"
                     "   add  sp, #32   \n"
                     "   ldr  r1, 2f    \n"
                     "   str  r0, [r1]  \n"
                     "   ldr  r1, 3f    \n"
                     "   movs r0, #0    \n"
                     "   str  r0, [r1]  \n"
                     "   pop  {r7, pc}  \n"
                     "   .align 2       \n"
                     "1: .word 0xe000e018 \n"
                     "2: .word answered \n"
                     "3: .word 0x4005403c \n");
}

__attribute__((noinline, section(".sram4.code"))) static uint32_t force(void) {
    uint32_t before;
    __asm__ volatile(".syntax unified       \n"
                     "    ldr %0, [%1]      \n"
                     "    str %3, [%2]      \n"
                     "    nop               \n"
                     "    nop               \n"
                     "    nop               \n"
                     : "=&l"(before)
                     : "l"(&SYST_CVR), "l"(TIMER_INTF), "l"(1)
                     : "memory");
    while (answered == 0) {
    }
    return before;
}

void example(void) {
    speed_flash_up();
    set_handler(IRQ_TIMER_0, handle);
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_TIMER_0;
    TIMER_INTE = 1;
    __asm__ volatile("cpsie i");
    const uint32_t before = force();
    print_number("until SysTick is read:", (before - answered) & 0xffffffu);
}
