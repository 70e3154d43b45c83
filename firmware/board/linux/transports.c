/* The transports of a Linux machine. */
#include "transports_posix.h"

static const struct ic_transport *const transports[] = {
    &ic_transport_queue,
};

const struct ic_transport *port_transport(uint32_t index) {
    return index < sizeof transports / sizeof transports[0] ? transports[index] : NULL;
}
