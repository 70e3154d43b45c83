#include "esp32_mark.h"

#include <stdio.h>

#include "esp32_idf.h"
#include "port.h"

#ifdef CONFIG_INTERCORE_MARK_GPIO
#define PIN CONFIG_INTERCORE_MARK_GPIO
#else
#define PIN 4
#endif
#define PINS_OF_A_REGISTER 32

_Static_assert(PIN < 0 || GPIO_IS_VALID_OUTPUT_GPIO(PIN), "CONFIG_INTERCORE_MARK_GPIO is no output of this chip");

static char text[16] = "none";

void esp32_mark_start(void) {
#if PIN >= 0
    const gpio_config_t output = {.pin_bit_mask = 1ULL << PIN, .mode = GPIO_MODE_OUTPUT};
    port_mark(false);
    if (gpio_config(&output) == ESP_OK) {
        (void)snprintf(text, sizeof text, "GPIO%d", PIN);
    }
#endif
}

const char *esp32_mark_text(void) { return text; }

/* Makes one store to a register that sets or clears the pins whose bits are 1. This needs no lock and does not affect
 * other pins. */
void IRAM_ATTR port_mark(bool on) {
#if PIN >= PINS_OF_A_REGISTER
    REG_WRITE(on ? GPIO_OUT1_W1TS_REG : GPIO_OUT1_W1TC_REG, 1U << (PIN - PINS_OF_A_REGISTER));
#elif PIN >= 0
    REG_WRITE(on ? GPIO_OUT_W1TS_REG : GPIO_OUT_W1TC_REG, 1U << PIN);
#else
    (void)on;
#endif
}
