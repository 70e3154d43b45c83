// A loop of instructions that come from the flash around its cache: each word of code takes a read of the flash.
#include "accuracy.h"

enum { TURNS = 1000, WORDS_A_TURN = 16 };

// 28 instructions of a cycle, a subtraction, a branch: 15 words, and the word that is fetched behind the branch.
__attribute__((naked, noinline, aligned(4))) static void around(uint32_t turns __attribute__((unused))) {
    __asm__ volatile(".syntax unified\n"
                     "1:  .rept 28\n"
                     "    mov  r1, r1\n"
                     "    .endr\n"
                     "    subs r0, #1\n"
                     "    bne  1b\n"
                     "    bx   lr\n"
                     "    nop\n");
}

enum { AROUND_THE_CACHE = 0x03000000 };

void example(void) {
    speed_flash_up();
    void (*const uncached)(uint32_t) = (void (*)(uint32_t))((uintptr_t)around + AROUND_THE_CACHE);
    const Moment begin = now();
    uncached(TURNS);
    print_number("16,000 words of code:", cycles_since(begin));
    Moment again = now();
    around(TURNS);
    again = now();
    around(TURNS);
    print_number("16,000 words of code in the cache:", cycles_since(again));
}
