// What an optimised program calls in other ways than by BL of a function with a symbol. Each way takes 3,000 cycles, in
// a loop of its own.
#include "chip.h"

#define ROM_HALFWORD(address) (*(volatile uint16_t *)(address))

// r0 turns of SUBS 1 and BNE 2, but 1 in the last one.
#define SPIN(turns)                                                                                                    \
    do {                                                                                                               \
        uint32_t left = (turns);                                                                                       \
        __asm__ volatile("1: sub %0, #1; bne 1b" : "+l"(left) : : "cc");                                               \
    } while (0)

static inline __attribute__((always_inline)) void inlined(void) { SPIN(1000); }

__attribute__((noipa)) static void outer(void) { inlined(); }

__attribute__((noipa, used)) static void called_last(void) { SPIN(1000); }

// GCC makes no tail calls for this core; other compilers and people do.
MEASURED("text.jumping") static void jumping(void) { __asm__ volatile("b called_last"); }

// Without a size, as many libraries have them.
__asm__(".syntax unified\n.text\n.align 2\n.thumb_func\n.type assembled, %function\n"
        "assembled: ldr r0, =1000\n1: subs r0, #1\nbne 1b\nbx lr\n.pool\n"
        ".syntax divided\n");
void assembled(void);

__attribute__((noipa, aligned(4))) static void copied(void) { SPIN(1000); }
__attribute__((noipa)) static void behind_copied(void) { __asm__ volatile(""); }

uint32_t buffer[8];
uint32_t filled[500];
volatile float sum = 1;

__attribute__((noipa)) static void call_rom(void) {
    uint32_t (*const look_up)(uint32_t, uint32_t) = (uint32_t (*)(uint32_t, uint32_t))(uintptr_t)ROM_HALFWORD(0x18);
    void (*const fill)(void *, int, uint32_t) =
        (void (*)(void *, int, uint32_t))(uintptr_t)look_up(ROM_HALFWORD(0x14), 'M' | 'S' << 8);
    fill(filled, 1, sizeof filled);
    const uint32_t *const floats = (const uint32_t *)(uintptr_t)look_up(ROM_HALFWORD(0x16), 'S' | 'F' << 8);
    register float a __asm__("r0") = sum;
    register float b __asm__("r1") = sum;
    const uint32_t add = floats[0];
    __asm__ volatile("blx %2" : "+r"(a), "+r"(b) : "r"(add) : "r2", "r3", "r12", "lr", "cc");
    sum = a;
}

void example(void) {
    outer();
    jumping();
    assembled();
    const uint32_t *const from = (const uint32_t *)((uintptr_t)copied & ~1u);
    for (int i = 0; i < 8; i++) {
        *(volatile uint32_t *)&buffer[i] = from[i];
    }
    ((void (*)(void))((uintptr_t)buffer | 1))();
    behind_copied();
    call_rom();
    print_number("sum:", sum == 2.0f);
}
