#include "stm32h745_mark.h"

#include "port.h"
#include "stm32h745_registers.h"

#define PIN 14U

/* Both cores call this function, because each core has its own enable bit for the GPIO port (RM 9.7.1). Core 1 writes
 * the other registers again, with the same values. */
void stm32h745_mark_start(void) {
    RCC_AHB4ENR |= RCC_AHB4ENR_GPIOGEN;
    (void)RCC_AHB4ENR;
    port_mark(false);
    GPIO_MODER(GPIOG) = (GPIO_MODER(GPIOG) & ~(3U << 2U * PIN)) | GPIO_OUTPUT << 2U * PIN;
}

/* A store to BSRR changes only this pin, from either core (RM 12.4.7). The core does not wait until the store has
 * passed AHB4. */
void port_mark(bool on) { GPIO_BSRR(GPIOG) = 1U << PIN << (on ? 0U : 16U); }
