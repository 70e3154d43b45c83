#include "stm32h745_baud.h"

#include <stdbool.h>

#define DIVISOR_LEAST 16U
#define DIVISOR_MOST 0xffffU

/* Bit rates that common USB serial adapters support */
static const uint32_t rates[] = {115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 3000000};

uint32_t stm32h745_baud_divisor(uint32_t kernel_hz, uint32_t bits_per_second) {
    uint32_t divisor = (kernel_hz + bits_per_second / 2U) / bits_per_second;
    uint64_t made = (uint64_t)divisor * bits_per_second;
    uint64_t off = made > kernel_hz ? made - kernel_hz : kernel_hz - made;
    bool possible = divisor >= DIVISOR_LEAST && divisor <= DIVISOR_MOST && off * 1000U <= made * BAUD_PERMILLE_OFF;
    return possible ? divisor : 0;
}

uint32_t stm32h745_baud_choice(uint32_t kernel_hz, uint32_t index) {
    for (uint32_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        if (stm32h745_baud_divisor(kernel_hz, rates[i]) != 0 && index-- == 0) {
            return rates[i];
        }
    }
    return 0;
}
