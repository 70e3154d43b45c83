/* The main loop of port.h where the platform has none. */
#include "port.h"

enum port_error port_loop_start(const struct port_loop_config *config) {
    (void)config;
    return PORT_ERR_UNSUPPORTED;
}

void port_loop_join(void) {}
