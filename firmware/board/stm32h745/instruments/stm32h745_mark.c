#include "stm32h745_mark.h"

#include "port.h"
#include "stm32h745_registers.h"

#define PIN 14U

/* Each core has an enable bit of its own for the port (RM 9.7.1). The rest core 1 only writes again as it is. */
void stm32h745_mark_start(void) {
    RCC_AHB4ENR |= RCC_AHB4ENR_GPIOGEN;
    (void)RCC_AHB4ENR;
    port_mark(false);
    GPIO_MODER(GPIOG) = (GPIO_MODER(GPIOG) & ~(3U << 2U * PIN)) | GPIO_OUTPUT << 2U * PIN;
}

/* A store to BSRR changes this pin alone, from either core (RM 12.4.7). The core goes on while the store is on its way
 * over AHB4. */
void port_mark(bool on) { GPIO_BSRR(GPIOG) = 1U << PIN << (on ? 0U : 16U); }
