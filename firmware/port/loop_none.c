/* The main loop of port.h on a platform without one */
#include "port.h"

enum port_error port_loop_start(const struct port_loop_config *config) {
    (void)config;
    return PORT_ERR_UNSUPPORTED;
}

void port_loop_join(void) {}
