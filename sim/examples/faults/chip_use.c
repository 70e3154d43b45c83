// Programs that use the chip in ways that its datasheet excludes, one for each definition.
#include "../chip.h"

#define SET 0x2000u
#define DIV_UDIVIDEND REGISTER(SIO + 0x60)
#define DIV_UDIVISOR REGISTER(SIO + 0x64)
#define DIV_QUOTIENT REGISTER(SIO + 0x70)
#define DIV_REMAINDER REGISTER(SIO + 0x74)
#define DIV_SDIVIDEND REGISTER(SIO + 0x68)
#define DIV_SDIVISOR REGISTER(SIO + 0x6c)
#define SPI0_SSPCR0 REGISTER(0x4003c000)
#define PROC0_INTE0 REGISTER(0x40014100)
#define IO_IRQ_BANK0 13

static volatile uint32_t sum, handled_sum, handled;

__attribute__((noipa)) static uint32_t divide(uint32_t dividend, uint32_t divisor) {
    DIV_UDIVIDEND = dividend;
    DIV_UDIVISOR = divisor;
    for (volatile int wait = 0; wait < 3; wait++) {
    }
    return DIV_QUOTIENT;
}

static void on_timer(void) {
#ifdef SAVES_DIVIDER
    const uint32_t dividend = DIV_UDIVIDEND, divisor = DIV_UDIVISOR, rest = DIV_REMAINDER, quotient = DIV_QUOTIENT;
#endif
    handled_sum += divide(1000, 7);
#ifdef SAVES_DIVIDER
    DIV_UDIVIDEND = dividend;
    DIV_UDIVISOR = divisor;
    DIV_REMAINDER = rest;
    DIV_QUOTIENT = quotient;
#endif
    handled++;
    TIMER_INTR = 1;
    TIMER_ALARM0 = TIMER_TIMERAWL + 10;
}

static void measure(void) {
#ifdef WRONG_CORE
    NVIC_ISER = 1u << IO_IRQ_BANK0;
#endif
#ifdef SYSTICK_OFF
    SYST_CSR = 0;
#endif
    const uint32_t begun = SYST_CVR;
    for (int i = 0; i < 100; i++) {
        sum += (begun - SYST_CVR) & 0xffffff;
    }
}

void example(void) {
#if defined(DIVIDER) || defined(SAVES_DIVIDER)
    set_handler(IRQ_TIMER_0, on_timer);
    start_line();
    __asm__ volatile("cpsie i");
    while (handled < 200) {
        for (uint32_t i = 1; i < 20; i++) {
            sum += divide(1u << i, i);
        }
        DIV_SDIVIDEND = (uint32_t)-7;
        DIV_SDIVISOR = 2;
        for (volatile int wait = 0; wait < 3; wait++) {
        }
        sum += DIV_REMAINDER + DIV_QUOTIENT;
    }
    __asm__ volatile("cpsid i");
    return;
#endif
    start_core_1(measure);
#ifdef STARTED_TWICE
    start_core_1(measure);
#endif
#ifdef IN_RESET
    SPI0_SSPCR0 = 7;
#endif
#ifdef WRONG_CORE
    PROC0_INTE0 = 1u << 2;
#endif
    for (volatile int i = 0; i < 10000; i++) {
    }
}
