// Pins by SIO: a pin toggled 1000 times, and rings in which the level of one pin, inverted, drives the other one.
// Wires: GPIO 2 to GPIO 3.
#include "accuracy.h"

enum { OUT = 2, IN = 3, TOGGLES = 1000 };

static inline void put(uint32_t pin, int level) {
    const uint32_t mask = 1u << pin;
    if (level) {
        SIO_GPIO_OUT_SET = mask;
    } else {
        SIO_GPIO_OUT_CLR = mask;
    }
}

static inline int get(uint32_t pin) { return (SIO_GPIO_IN & 1u << pin) != 0; }

__attribute__((noinline)) static void toggle(void) {
    for (int i = 0; i < TOGGLES; i++) {
        put(OUT, 1);
        put(OUT, 0);
    }
}

// On core 1, for ever.
static void ring(void) {
    for (;;) {
        put(OUT, !get(IN));
    }
}

#define PWM_CSR REGISTER(0x40050014) // of slice 1: its B pin is GPIO 3, whose rising edges it counts
#define PWM_DIV REGISTER(0x40050018)
#define PWM_CTR REGISTER(0x4005001c)
enum { RESET_PWM = 1 << 14, FUNCTION_PWM = 4, PWM_ENABLED = 1, PWM_COUNTS_RISING = 2 << 4, WINDOW = 125000 };

// In SRAM, so that it does not take the flash's cache from core 1.
__attribute__((noinline, section(".sram4.code"))) static uint32_t edges_in(uint32_t cycles) {
    const uint32_t begin = SYST_CVR, before = PWM_CTR;
    while (((begin - SYST_CVR) & 0xffffffu) < cycles) {
    }
    return (PWM_CTR - before) & 0xffffu;
}

void example(void) {
    speed_flash_up();
    release(RESET_PWM);
    SIO_GPIO_OE_SET = 1u << OUT;
    GPIO_CTRL(OUT) = FUNCTION_SIO;
    GPIO_CTRL(IN) = FUNCTION_PWM;
    PWM_DIV = 1 << 4;
    PWM_CSR = PWM_ENABLED | PWM_COUNTS_RISING;
    const Moment begin = now();
    toggle();
    print_number("1000 toggles:", cycles_since(begin));
    start_core_1(ring);
    edges_in(WINDOW / 10); // until the flash's cache has what is used
    print_number("rings in 125,000 cycles:", edges_in(WINDOW));
}
