/* Implements port_pin.h: the pin is an output and an input at once, and ESP-IDF's interrupt service for pins tells its
 * edges to the core that installed the service. If the application has installed it, the pin cannot be opened. */
#include "esp32_idf.h"
#include "esp32_pin.h"
#include "port_freertos.h"
#include "port_pin.h"

#define PINS_OF_A_REGISTER 32

_Static_assert(PIN < 0 || GPIO_IS_VALID_OUTPUT_GPIO(PIN), "CONFIG_INTERCORE_EDGE_GPIO is no output of this chip");

bool port_pin_exists(void) { return PIN >= 0; }

#if PIN >= 0

enum port_error board_pin_open(void (*handler)(void *arg), void *arg) {
    const gpio_config_t config = {
        .pin_bit_mask = 1ULL << PIN, .mode = GPIO_MODE_INPUT_OUTPUT, .intr_type = GPIO_INTR_ANYEDGE};
    if (gpio_install_isr_service(ESP_INTR_FLAG_LEVEL1) != ESP_OK) {
        return PORT_ERR_RESOURCE;
    }
    if (gpio_config(&config) == ESP_OK && gpio_isr_handler_add(PIN, handler, arg) == ESP_OK) {
        return PORT_OK;
    }
    gpio_uninstall_isr_service();
    return PORT_ERR_RESOURCE;
}

void port_pin_close(void) {
    (void)gpio_intr_disable(PIN);
    (void)gpio_isr_handler_remove(PIN);
    gpio_uninstall_isr_service();
}

uint64_t IRAM_ATTR port_pin_toggle(void) {
#if PIN >= PINS_OF_A_REGISTER
    const uint32_t bit = 1U << (PIN - PINS_OF_A_REGISTER);
    const uint32_t change = (REG_READ(GPIO_OUT1_REG) & bit) != 0 ? GPIO_OUT1_W1TC_REG : GPIO_OUT1_W1TS_REG;
#else
    const uint32_t bit = 1U << PIN;
    const uint32_t change = (REG_READ(GPIO_OUT_REG) & bit) != 0 ? GPIO_OUT_W1TC_REG : GPIO_OUT_W1TS_REG;
#endif
    const uint64_t before = port_clock();
    REG_WRITE(change, bit);
    return before;
}

#else

enum port_error board_pin_open(void (*handler)(void *arg), void *arg) {
    (void)handler;
    (void)arg;
    return PORT_ERR_UNSUPPORTED;
}

void port_pin_close(void) {}

uint64_t port_pin_toggle(void) { return 0; }

#endif
