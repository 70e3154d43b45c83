/* port_loop_start() and port_loop_join() on a platform that has no main loop like Arduino's loop() */
#include "port.h"

enum port_error port_loop_start(const struct port_loop_config *config) {
    (void)config;
    return PORT_ERR_UNSUPPORTED;
}

void port_loop_join(void) {}
