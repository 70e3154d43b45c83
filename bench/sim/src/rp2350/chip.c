// Start-up in SRAM, and the launch of core 1 (RP2350 datasheet 5.3).
#include "chip.h"

#define FIFO_ST REGISTER(SIO + 0x50)
#define FIFO_WR REGISTER(SIO + 0x54)
#define FIFO_RD REGISTER(SIO + 0x58)

extern uint32_t bss_start[], bss_end[], stack_1[];

__attribute__((naked, noreturn, section(".start"))) void start(void) {
    __asm__ volatile("la sp, stack_0\n"
                     "tail begin");
}

__attribute__((noreturn, used)) static void begin(void) {
    for (volatile uint32_t *word = bss_start; word < bss_end;) {
        *word++ = 0;
    }
    example();
    for (;;) {
        __asm__ volatile("wfi");
    }
}

void start_core_1(void (*program)(void)) {
    const uint32_t words[] = {0, 0, 1, 0, (uint32_t)stack_1, (uint32_t)program};
    for (uint32_t i = 0; i < sizeof words / sizeof *words;) {
        while (words[i] == 0 && (FIFO_ST & 1) != 0) {
            (void)FIFO_RD;
        }
        FIFO_WR = words[i];
        __asm__ volatile("slt x0, x0, x1"); // wakes the boot ROM of core 1
        while ((FIFO_ST & 1) == 0) {
        }
        i = FIFO_RD == words[i] ? i + 1 : 0;
    }
}
