// Start-up and output through semihosting for the C kernels, the same on both machines.
#include "start.h"
#include <stdint.h>

extern uint32_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];
int main(void);

static int semihost(int operation, const void *argument) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void print(const char *text) {
    semihost(4, text); // SYS_WRITE0
}

void print_hex(const char *name, uint64_t value) {
    char line[64];
    unsigned length = 0;
    while (name[length] != 0 && length < 40) {
        line[length] = name[length];
        length++;
    }
    line[length++] = ' ';
    for (int shift = 60; shift >= 0; shift -= 4) {
        line[length++] = "0123456789abcdef"[(value >> shift) & 15];
    }
    line[length++] = '\n';
    line[length] = 0;
    print(line);
}

__attribute__((noreturn)) static void leave(uint32_t reason) {
    semihost(0x18, (const void *)(uintptr_t)reason); // SYS_EXIT
    for (;;) {
    }
}

__attribute__((noreturn)) void reset(void) {
    for (volatile uint32_t *to = data_start, *from = data_load; to < data_end;) {
        *to++ = *from++;
    }
    for (volatile uint32_t *to = bss_start; to < bss_end;) {
        *to++ = 0;
    }
    main();
    leave(0x20026);
}

static void fault(void) {
    print("fault\n");
    leave(0x20023);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[64] = {
    stack_top,
    reset,
    fault,
    fault,
};

// What the compiler may call.
void *memcpy(void *restrict to, const void *restrict from, unsigned length) {
    volatile char *t = to;
    for (const char *f = from; length > 0; length--) {
        *t++ = *f++;
    }
    return to;
}

void *memset(void *to, int value, unsigned length) {
    for (volatile char *t = to; length > 0; length--) {
        *t++ = (char)value;
    }
    return to;
}
