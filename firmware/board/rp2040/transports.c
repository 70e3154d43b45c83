/* The transports of this board: FreeRTOS' own. */
#include "transports_freertos.h"

static const struct ic_transport *const transports[] = {
    &ic_transport_queue,
};

const struct ic_transport *port_transport(uint32_t index) {
    return index < sizeof transports / sizeof transports[0] ? transports[index] : NULL;
}
