/* Works of an RP2040 of which it is known what they lose on two cores, and to what. */
#include <intercore_workload.h>

#define UNITS 64U
#define TURNS 100U
#define CORE (*(const volatile uint32_t *)0xd0000000U)    /* CPUID, within a cycle on either core (DS 2.3.1.7) */
#define CHIP_ID (*(const volatile uint32_t *)0x40000000U) /* behind the bridge to the APB (DS 2.20.2) */

static uint32_t spin(uint32_t turns) {
    volatile uint32_t left = turns;
    while (left > 0) {
        left = left - 1U;
    }
    return 1;
}

/* Reads of the first bank alone: every fourth word of what is striped over four. A turn of core 1 is a little longer.
 * With equal turns, the cores would settle on a phase in which they hardly meet. */
static volatile uint32_t striped[32] __attribute__((aligned(16)));

uint32_t banks(uint32_t first, uint32_t count) {
    uint32_t sum = count + first * 0U;
    for (uint32_t i = 0; i < count * TURNS; i++) {
        sum += striped[0] + striped[4] + striped[8] + striped[12];
        sum += striped[16] + striped[20] + striped[24] + striped[28];
        if (CORE == 1U) {
            __asm__ volatile("nop; nop");
        }
    }
    return sum;
}

INTERCORE_WORKLOAD(banks, .units = UNITS)

/* Core 1 alone reads what is behind the bridge, beside the same work. */
uint32_t bridge(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        for (uint32_t i = 0; i < TURNS; i++) {
            if (CORE == 1U) {
                (void)CHIP_ID;
            }
            sum += spin(4);
        }
    }
    return sum;
}

INTERCORE_WORKLOAD(bridge, .units = UNITS)

/* A unit takes twice as long on core 1. */
uint32_t uneven(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t unit = first; unit != first + count; unit++) {
        sum += spin(CORE == 1U ? 4U * TURNS : 2U * TURNS);
    }
    return sum;
}

INTERCORE_WORKLOAD(uneven, .units = UNITS)
