/* fft: transforms of 1024 complex numbers, 16-bit fixed point, radix 2, in place, halved at each of ten stages to
 * prevent overflow. A unit is the transform of a sine of its own frequency. */
#include <intercore_workload.h>

#define POINTS 1024U
#define STAGES 10U
#define TRANSFORMS 4U

/* Real and imaginary parts alternate. */
INTERCORE_OUTPUT(spectrum, int16_t, TRANSFORMS, 2U * POINTS);

/* A quarter of a sine, and one more value, in units of 2^-15 */
static int16_t quarter[POINTS / 4U + 1U] PORT_SHARED(fft_quarter);

/* By repeated multiplication by e^(i 2 pi / 1024), with 30 fractional bits */
static void fill(void) {
    const int64_t cosine = 1073721611; /* round(2^30 cos(2 pi / 1024)) */
    const int64_t sine = 6588356;      /* round(2^30 sin(2 pi / 1024)) */
    int64_t x = INT64_C(1) << 30U;
    int64_t y = 0;
    for (uint32_t i = 0; i <= POINTS / 4U; i++) {
        int64_t rounded = (y + (1 << 14U)) >> 15U;
        quarter[i] = (int16_t)(rounded > INT16_MAX ? INT16_MAX : rounded);
        int64_t next = (x * cosine - y * sine) >> 30U;
        y = (x * sine + y * cosine) >> 30U;
        x = next;
    }
}

static int32_t sine_of(uint32_t angle) {
    uint32_t within = angle % (POINTS / 2U);
    int32_t value = quarter[within <= POINTS / 4U ? within : POINTS / 2U - within];
    return angle % POINTS < POINTS / 2U ? value : -value;
}

static int32_t cosine_of(uint32_t angle) { return sine_of(angle + POINTS / 4U); }

static uint32_t reversed(uint32_t index) {
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < STAGES; bit++) {
        result = result << 1U | (index >> bit & 1U);
    }
    return result;
}

static void transform(int16_t *data) {
    for (uint32_t half = 1; half < POINTS; half *= 2U) {
        for (uint32_t k = 0; k < half; k++) {
            uint32_t angle = k * (POINTS / 2U / half);
            int32_t c = cosine_of(angle);
            int32_t s = sine_of(angle);
            for (uint32_t at = k; at < POINTS; at += 2U * half) {
                int16_t *a = data + (size_t)2U * at;
                int16_t *b = a + (size_t)2U * half;
                int32_t re = (b[0] * c + b[1] * s) >> 15;
                int32_t im = (b[1] * c - b[0] * s) >> 15;
                b[0] = (int16_t)((a[0] - re) >> 1);
                b[1] = (int16_t)((a[1] - im) >> 1);
                a[0] = (int16_t)((a[0] + re) >> 1);
                a[1] = (int16_t)((a[1] + im) >> 1);
            }
        }
    }
}

void fft(uint32_t first, uint32_t count) {
    for (uint32_t unit = first; unit != first + count; unit++) {
        int16_t *data = spectrum.unit[unit % TRANSFORMS];
        uint32_t frequency = 1U + unit % TRANSFORMS;
        for (uint32_t i = 0; i < POINTS; i++) {
            uint32_t at = reversed(i);
            data[2U * at] = (int16_t)sine_of(frequency * i);
            data[2U * at + 1U] = 0;
        }
        transform(data);
    }
}

INTERCORE_WORKLOAD_TO(fft, spectrum, .prepare = fill)
