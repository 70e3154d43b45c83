// A program that ends badly, in a way that WAY says.
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

extern uint32_t stack_0[];

static void print(const char *text) {
    REGISTER(0x4000f000) = 1 << 22; // out of reset: UART0 (RESETS, clear alias)
    REGISTER(0x40034024) = 67;      // 115200 baud of 125 MHz
    REGISTER(0x40034028) = 52;
    REGISTER(0x4003402c) = 3 << 5 | 1 << 4;
    REGISTER(0x40034030) = 1 << 9 | 1 << 8 | 1;
    while (*text != 0) {
        REGISTER(0x40034000) = (uint8_t)*text++;
    }
}

// As in the SDK's start-up code: these two are one address there, and vectors that nobody has written are a BKPT.
__attribute__((naked)) void isr_svcall(void) { __asm__ volatile("bkpt 0"); }
__attribute__((naked)) void spinning(void) { __asm__ volatile("b ."); }

// The compiler has built `_exit` into `exit` in programs of the SDK 1.2 and 1.3, so that it has no function of its own there.
#ifndef EXIT
#define EXIT _exit
#endif
__attribute__((noreturn, noinline)) void EXIT(int status) {
    register int r0 __asm__("r0") = status;
    for (;;) {
        __asm__ volatile("bkpt 0" : : "r"(r0));
    }
}

__attribute__((noinline)) uint32_t look(volatile uint32_t *at) {
    return *at; // this line
}

static int example(void) {
    print("last words\n");
#ifdef CRASHES
    return (int)look((volatile uint32_t *)0x30000000);
#else
    return 3;
#endif
}

__attribute__((noreturn)) void start(void) { EXIT(example()); }

#ifndef HANDLER
#define HANDLER isr_svcall
#endif
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_0, start, isr_svcall, HANDLER, [11] = isr_svcall};
