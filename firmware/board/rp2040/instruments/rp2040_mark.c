#include "rp2040_mark.h"

#include "port.h"
#include "rp2040_registers.h"

#define PIN (1U << 2U)

/* The level first, so that the pin does not rise for a moment if a debugger has restarted the program. After a reset
 * the pad drives when it is enabled (DS 2.19.6.3). */
void rp2040_mark_start(void) {
    SIO_GPIO_OUT_CLR = PIN;
    SIO_GPIO_OE_SET = PIN;
    GPIO2_CTRL = GPIO_FUNC_SIO;
}

/* One store to SIO, which each core reaches in a cycle by its own port, and which changes no other pin (DS 2.3.1): it
 * does not use the shared bus. */
void port_mark(bool on) {
    if (on) {
        SIO_GPIO_OUT_SET = PIN;
    } else {
        SIO_GPIO_OUT_CLR = PIN;
    }
}
