// A radix-2 FFT of 128 points of single precision by the boot ROM's functions, with the logarithm in its loop's
// condition, as "Performance Analysis of C vs TinyGo on the RP2040" describes it (S. Ivuerah, 2025).
#include "accuracy.h"
#include "rom_float.h"

enum { POINTS = 128 };
static float real[POINTS], imaginary[POINTS];

static void reorder(int n) {
    for (int i = 0, j = 0; i < n; i++) {
        if (i < j) {
            const float r = real[i], m = imaginary[i];
            real[i] = real[j];
            imaginary[i] = imaginary[j];
            real[j] = r;
            imaginary[j] = m;
        }
        int bit = n >> 1;
        while (bit > 0 && j >= bit) {
            j -= bit;
            bit >>= 1;
        }
        j += bit;
    }
}

static float log2f(float x) { return logf(x) * 1.4426950f; }

__attribute__((noinline)) static void transform(int n) {
    reorder(n);
    for (int stage = 1; (float)stage <= log2f((float)n); stage++) {
        const int size = 1 << stage;
        const float angle = -2.0f * 3.14159265f / (float)size;
        const float step_r = cosf(angle), step_i = sinf(angle);
        for (int first = 0; first < n; first += size) {
            float w_r = 1, w_i = 0;
            for (int j = 0; j < size / 2; j++) {
                const int t = first + j, u = t + size / 2;
                const float r = w_r * real[u] - w_i * imaginary[u];
                const float i = w_r * imaginary[u] + w_i * real[u];
                real[u] = real[t] - r;
                imaginary[u] = imaginary[t] - i;
                real[t] += r;
                imaginary[t] += i;
                const float before = w_r;
                w_r = w_r * step_r - w_i * step_i;
                w_i = before * step_i + w_i * step_r;
            }
        }
    }
}

void example(void) {
    speed_flash_up();
    find_rom_float();
    for (int i = 0; i < POINTS; i++) {
        real[i] = sinf(2 * 3.14159265f * (float)i / POINTS);
        imaginary[i] = 0;
    }
    const Moment begin = now();
    transform(POINTS);
    print_number("FFT of 128 points:", cycles_since(begin));
    print(imaginary[1] < -63 && imaginary[1] > -65 ? "" : "wrong\n");
}
