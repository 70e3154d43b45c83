#include "rp2040_mark.h"

#include "port.h"
#include "rp2040_registers.h"

#define PIN (1U << 2U)

/* The pin's level is set to low before it becomes an output: if a debugger has restarted the firmware, the pin could
 * otherwise rise for a moment. After a reset the pad drives the pin as soon as it is enabled (DS 2.19.6.3). */
void rp2040_mark_start(void) {
    SIO_GPIO_OUT_CLR = PIN;
    SIO_GPIO_OE_SET = PIN;
    GPIO2_CTRL = GPIO_FUNC_SIO;
}

/* Makes one store to SIO, which each core reaches in one cycle through its own port and not over the shared bus. The
 * store changes no other pin (DS 2.3.1). */
void port_mark(bool on) {
    if (on) {
        SIO_GPIO_OUT_SET = PIN;
    } else {
        SIO_GPIO_OUT_CLR = PIN;
    }
}
