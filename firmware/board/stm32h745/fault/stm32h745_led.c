#include "stm32h745_led.h"

#include <stdbool.h>

#include "stm32h745_registers.h"

#define BEAT_TICKS 500U
#define LD3_PIN 14U
#if IC_CORE == 0
#define PORT GPIOB
#define PIN 0U
#else
#define PORT GPIOE
#define PIN 1U
#endif

/* A write to BSRR changes only this pin, so the cores do not disturb each other. Core 0 writes MODER before core 1
 * runs, and core 1 writes it only for its own LED's GPIO port. */
static void set(uint32_t port, uint32_t pin, bool on) { GPIO_BSRR(port) = 1U << pin << (on ? 0U : 16U); }

static void make_output(uint32_t port, uint32_t pin) {
    GPIO_MODER(port) = (GPIO_MODER(port) & ~(3U << 2U * pin)) | GPIO_OUTPUT << 2U * pin;
}

void stm32h745_led_start(void) {
    RCC_AHB4ENR |= RCC_AHB4ENR_GPIOBEN | RCC_AHB4ENR_GPIOEEN;
    (void)RCC_AHB4ENR;
    make_output(PORT, PIN);
#if IC_CORE == 0
    make_output(GPIOB, LD3_PIN);
#endif
}

void stm32h745_led_beat(void) {
    static uint32_t ticks;
    static bool on;
    if (++ticks >= BEAT_TICKS) {
        ticks = 0;
        on = !on;
        set(PORT, PIN, on);
    }
}

void stm32h745_led_panic(void) { set(GPIOB, LD3_PIN, true); }
