/* port_pin.h for platforms without a pin */
#include "port_pin.h"

bool port_pin_exists(void) { return false; }

enum port_error port_pin_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    (void)core;
    (void)handler;
    (void)arg;
    return PORT_ERR_UNSUPPORTED;
}

void port_pin_close(void) {}

uint64_t port_pin_toggle(void) { return 0; }
