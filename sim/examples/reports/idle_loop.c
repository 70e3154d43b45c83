// The idle loop of a core with nothing to do slows the other one (ArduPilot/ChibiOS#113, ChibiOS#82: idle loops of an
// SMP kernel, moved out of flash). Core 0 computes the CRC of a message in flash; core 1 idles in flash, with CURED in
// SRAM5.
#include "chip.h"

enum { ROUNDS = 100, BYTES = 64 };

static volatile const uint8_t message[BYTES] = {1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};

__attribute__((noipa)) static uint32_t crc32(volatile const uint8_t *bytes, int count) {
    uint32_t crc = ~0u;
    for (int i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
        }
    }
    return ~crc;
}

#ifdef CURED
__attribute__((section(".sram5")))
#endif
__attribute__((noipa)) static void idle(void) {
    for (;;) {
        __asm__ volatile("");
    }
}

__attribute__((noipa)) static uint32_t work(void) {
    uint32_t sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sum += crc32(message, BYTES);
    }
    return sum;
}

void example(void) {
    start_core_1(idle);
    (void)crc32(message, BYTES); // into the flash cache
    const uint32_t before = SYST_CVR;
    (void)work();
    print_number("cycles:", (before - SYST_CVR) & 0xffffff);
}
