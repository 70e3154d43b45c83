// What the programs that repeat published figures share: time in cycles, and a flash as fast as a Pico's.
#pragma once
#include "../chip.h"

#define SSI_SSIENR REGISTER(0x18000008)
#define SSI_BAUDR REGISTER(0x18000014)
#define RESETS_CLEAR REGISTER(0x4000f000)
#define RESETS_DONE REGISTER(0x4000c008)
#define GPIO_CTRL(pin) REGISTER(0x40014004 + 8 * (pin))
#define SIO_GPIO_IN REGISTER(SIO + 0x04)
#define SIO_GPIO_OUT_SET REGISTER(SIO + 0x14)
#define SIO_GPIO_OUT_CLR REGISTER(SIO + 0x18)
#define SIO_GPIO_OE_SET REGISTER(SIO + 0x24)
enum { FUNCTION_SIO = 5 };

// SysTick wraps after 2^24 cycles; the microseconds of the TIMER tell how often it did.
typedef struct {
    uint32_t us, tick;
} Moment;

// What is measured has to stay between the two.
#define BARRIER __asm__ volatile("" ::: "memory")

static inline Moment now(void) {
    const uint32_t us = TIMER_TIMERAWL;
    const Moment moment = {us, SYST_CVR};
    BARRIER;
    return moment;
}

static inline uint32_t cycles_since(Moment begin) {
    BARRIER;
    const uint32_t fine = (begin.tick - SYST_CVR) & 0xffffffu;
    const uint32_t coarse = (TIMER_TIMERAWL - begin.us) * 125;
    return fine + ((coarse - fine + 0x800000u) & 0xff000000u);
}

// The boot ROM of the simulator reads the flash at clk_sys / 4; on a Pico, the SDK's boot loader does at clk_sys / 2.
__attribute__((noinline, unused, section(".sram4.code"))) static void speed_flash_up(void) {
    SSI_SSIENR = 0;
    SSI_BAUDR = 2;
    SSI_SSIENR = 1;
}

static inline void release(uint32_t blocks) {
    RESETS_CLEAR = blocks;
    while ((RESETS_DONE & blocks) != blocks) {
    }
}
