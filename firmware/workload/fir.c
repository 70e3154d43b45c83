/* A unit of the workload `fir` is one output of a finite impulse response filter: 32 coefficients of 16 bits, 32
 * samples of 12 bits, as from an ADC, and a 32-bit sum. The samples are a periodic signal, in memory region 0. */
#include "port.h"
#include "workloads.h"

#define TAPS 32U
#define PERIOD 256U /* a power of two, because unit numbers wrap at 2^32 */

/* Coefficients of a low-pass filter at an eighth of the sample rate, with gain 1 at 0 Hz, in units of 2^-15: round(2^15
 * * firwin(32, 0.25)) of SciPy, a sinc with a Hamming window */
static const int16_t taps[TAPS] = {-21,  -60,  -84,  -52,  78,   273,  387,  221,  -301, -974, -1305,
                                   -731, 1017, 3642, 6306, 7987, 7987, 6306, 3642, 1017, -731, -1305,
                                   -974, -301, 221,  387,  273,  78,   -52,  -84,  -60,  -21};

static struct {
    const int16_t *samples; /* TAPS - 1 samples before a period, then the period */
} signal PORT_SHARED(fir_signal);

/* 12-bit noise that is the same in every run: the fractional parts of multiples of the golden ratio */
static uint32_t sample(uint32_t number) { return number % PERIOD * 0x9e3779b1U >> 20U; }

IC_UNTIMED static void prepare(void) {
    struct port_region region;
    if (!port_region(0, &region)) {
        return;
    }
    int16_t *fill = region.base;
    for (uint32_t i = 0; i < TAPS - 1U + PERIOD; i++) {
        fill[i] = (int16_t)sample(i - (TAPS - 1U));
    }
    signal.samples = fill;
}

static uint32_t work(uint32_t first, uint32_t count) {
    uint32_t checksum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        const int16_t *oldest = signal.samples + unit % PERIOD;
        int32_t sum = 0;
        for (uint32_t k = 0; k < TAPS; k++) {
            sum += taps[TAPS - 1U - k] * oldest[k];
        }
        checksum += (uint32_t)sum;
    }
    return checksum;
}

/* The filter is linear, so the sum of its outputs is the sum, over all coefficients, of the coefficient times the sum
 * of the samples that it multiplies (`met`). From one coefficient to the next, `met` gains one sample and loses one. */
IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    uint32_t met = 0;
    for (uint32_t i = 0; i < PERIOD; i++) {
        met += (count / PERIOD + (i < count % PERIOD ? 1U : 0U)) * sample(first + i);
    }
    uint32_t checksum = 0;
    for (uint32_t k = 0; k < TAPS; k++) {
        checksum += (uint32_t)taps[k] * met;
        met += sample(first - k - 1U) - sample(first + count - k - 1U);
    }
    return checksum;
}

const struct ic_workload ic_workload_fir = {.prepare = prepare, .work = work, .expected = expected};
