// The boot ROM's functions and those of libgcc on the same operands. Build with LIBGCC, which keeps the latter.
#include "accuracy.h"
#include "rom_float.h"

int64_t __aeabi_f2lz(float);
uint64_t __aeabi_f2ulz(float);
float __aeabi_fdiv(float, float);

enum { TIMES = 64 };
static float numbers[TIMES + 1];

// What a call costs that returns at once: it is subtracted, and with it the return that each function has too.
__attribute__((naked, noinline)) static float taken(float a __attribute__((unused)), float b __attribute__((unused))) {
    __asm__ volatile("bx lr");
}
__attribute__((naked, noinline)) static uint64_t taken_wide(float a __attribute__((unused))) {
    __asm__ volatile("bx lr");
}

// Prints the cycles of all calls, without those of the loop and of handing over one operand or two.
#define MEASURE(name, type, empty, call)                                                                               \
    do {                                                                                                               \
        uint32_t cycles[2];                                                                                            \
        for (int pass = 0; pass < 2; pass++) { /* the first one fills the flash's cache */                             \
            volatile type result;                                                                                      \
            Moment begin = now();                                                                                      \
            for (int i = 0; i < TIMES; i++) {                                                                          \
                const float a = numbers[i], b = numbers[i + 1];                                                        \
                (void)b;                                                                                               \
                result = empty;                                                                                        \
            }                                                                                                          \
            cycles[0] = cycles_since(begin);                                                                           \
            begin = now();                                                                                             \
            for (int i = 0; i < TIMES; i++) {                                                                          \
                const float a = numbers[i], b = numbers[i + 1];                                                        \
                (void)b;                                                                                               \
                result = call;                                                                                         \
            }                                                                                                          \
            cycles[1] = cycles_since(begin);                                                                           \
            (void)result;                                                                                              \
        }                                                                                                              \
        print_number(name, cycles[1] - cycles[0]);                                                                     \
    } while (0)

void example(void) {
    speed_flash_up();
    find_rom_float();
    uint32_t state = 1;
    for (int i = 0; i <= TIMES; i++) {
        state = state * 1664525u + 1013904223u;
        union {
            uint32_t bits;
            float number;
        } made = {0x3f800000u + (state >> 28 << 23) + (state >> 8 & 0x7fffffu)}; // 1 to 65536
        numbers[i] = made.number;
    }
    MEASURE("fdiv, ROM:", float, taken(a, b), rom_fdiv(a, b));
    MEASURE("fdiv, libgcc:", float, taken(a, b), __aeabi_fdiv(a, b));
    MEASURE("f2lz, ROM:", int64_t, (int64_t)taken_wide(a), rom_f2lz(a));
    MEASURE("f2lz, libgcc:", int64_t, (int64_t)taken_wide(a), __aeabi_f2lz(a));
    MEASURE("f2ulz, ROM:", uint64_t, (uint64_t)taken_wide(a), rom_f2ulz(a));
    MEASURE("f2ulz, libgcc:", uint64_t, (uint64_t)taken_wide(a), __aeabi_f2ulz(a));
}
