#include "rp2_mark.h"

#include "chip.h"
#include "port.h"

#define PIN_NUMBER 2U
#define PIN (1U << PIN_NUMBER)

/* The pin's level is set to low before it becomes an output: if a debugger has restarted the firmware, the pin could
 * otherwise rise for a moment. */
void rp2_mark_start(void) {
    SIO_GPIO_OUT_CLR = PIN;
    SIO_GPIO_OE_SET = PIN;
    chip_select_pin(PIN_NUMBER, GPIO_FUNC_SIO);
}

/* Makes one store to SIO, which each core reaches in one cycle through its own port and not over the shared bus. The
 * store changes no other pin. */
void port_mark(bool on) {
    if (on) {
        SIO_GPIO_OUT_SET = PIN;
    } else {
        SIO_GPIO_OUT_CLR = PIN;
    }
}
