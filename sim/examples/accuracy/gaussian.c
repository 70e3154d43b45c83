// 4000 normal random numbers by the method of Box and Muller, their running mean and variance, by the boot ROM's
// functions. The angle is a product of double precision, as a constant of double precision makes it.
#include "accuracy.h"
#include "rom_float.h"

enum { COUNT = 4000, LARGEST = 0x7fffffff };
static float x[COUNT];

// The generator of newlib's rand().
__attribute__((noinline)) static int random_number(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005ull + 1;
    return (int)(state >> 32 & LARGEST);
}

__attribute__((noinline)) static void generate(void) {
    for (uint32_t i = 0; i < COUNT / 2; i++) {
        const float one = (float)random_number() / (float)LARGEST;
        const float other = (float)random_number() / (float)LARGEST;
        const float radius = sqrtf(-2 * logf(one));
        const float angle = (float)(2 * 3.14159265358979323846 * other);
        x[2 * i] = radius * cosf(angle);
        x[2 * i + 1] = radius * sinf(angle);
    }
}

__attribute__((noinline)) static float mean_of(void) {
    float mean = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        mean = ((float)i * mean + x[i]) / (float)(i + 1);
    }
    return mean;
}

__attribute__((noinline)) static float variance_of(float mean) {
    float variance = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const float off = x[i] - mean;
        variance = ((float)i * variance + off * off) / (float)(i + 1);
    }
    return variance;
}

void example(void) {
    speed_flash_up();
    find_rom_float();
    Moment begin = now();
    generate();
    print_number("generation:", cycles_since(begin));
    begin = now();
    const volatile float mean = mean_of();
    print_number("mean:", cycles_since(begin));
    begin = now();
    const volatile float variance = variance_of(mean);
    print_number("variance:", cycles_since(begin));
    print(variance > 0.9f && variance < 1.1f ? "" : "wrong\n");
}
