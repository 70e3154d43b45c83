/* Implements port_pin.h: an output's input is on, too (RM 12.3.11), and EXTI tells its edges to the core that opened
 * it. */
#include "stm32h745_pin.h"

#include "port_amp.h"
#include "port_freertos.h"
#include "port_pin.h"
#include "stm32h745_irq.h"
#include "stm32h745_registers.h"

#define PIN 12U

static struct {
    void (*handler)(void *arg);
    void *arg;
} pin;

bool port_pin_exists(void) { return true; }

enum port_error board_pin_open(void (*handler)(void *arg), void *arg) {
    uint32_t core = board_core();
    pin.handler = handler;
    pin.arg = arg;
    RCC_APB4ENR |= RCC_APB4ENR_SYSCFGEN;
    (void)RCC_APB4ENR;
    GPIO_MODER(GPIOG) = (GPIO_MODER(GPIOG) & ~(3U << 2U * PIN)) | GPIO_OUTPUT << 2U * PIN;
    SYSCFG_EXTICR4 = SYSCFG_EXTICR_PORT_G << 4U * (PIN - 12U);
    EXTI_RTSR1 |= 1U << PIN;
    EXTI_FTSR1 |= 1U << PIN;
    EXTI_PR1(core) = 1U << PIN; /* earlier edges */
    EXTI_IMR1(core) |= 1U << PIN;
    stm32h745_irq_enable(IRQ_EXTI15_10);
    return PORT_OK;
}

void port_pin_close(void) {
    EXTI_IMR1(0) &= ~(1U << PIN);
    EXTI_IMR1(1) &= ~(1U << PIN);
}

/* The read waits until the write has arrived. Otherwise the interrupt could come again. */
void stm32h745_pin_interrupt(void) {
    uint32_t core = board_core();
    EXTI_PR1(core) = 1U << PIN;
    (void)EXTI_PR1(core);
    pin.handler(pin.arg);
}

uint64_t port_pin_toggle(void) {
    uint32_t change = 1U << PIN << ((GPIO_ODR(GPIOG) >> PIN & 1U) != 0 ? 16U : 0U);
    __asm volatile("dsb" ::: "memory");
    uint64_t before = port_clock();
    GPIO_BSRR(GPIOG) = change;
    return before;
}
