/* The transports of this board that reach from kernel to kernel. */
#include "ring.h"
#include "rpmsg.h"
#include "transports_freertos.h"

static const struct ic_transport *const transports[] = {
    &ic_transport_message_buffer_amp, &ic_transport_ring, &ic_transport_ring_zero_copy, &ic_transport_rpmsg,
    &ic_transport_rpmsg_zero_copy,
};

const struct ic_transport *port_transport(uint32_t index) {
    return index < sizeof transports / sizeof transports[0] ? transports[index] : NULL;
}
