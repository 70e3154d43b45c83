/* The transports of a Linux machine. */
#include "ring.h"
#include "rpmsg.h"
#include "rpmsg_char.h"
#include "transports_posix.h"

static const struct ic_transport *const transports[] = {
    // clang-format off
    &ic_transport_queue,
    &ic_transport_pipe,
    &ic_transport_unix_socket,
    &ic_transport_posix_mq,
    &ic_transport_notification,
    &ic_transport_ring,
    &ic_transport_ring_zero_copy,
    &ic_transport_ring_futex,
    &ic_transport_rpmsg,
    &ic_transport_rpmsg_zero_copy,
    // clang-format on
};

const struct ic_transport *port_transport(uint32_t index) {
    uint32_t count = sizeof transports / sizeof transports[0];
    return index < count ? transports[index] : rpmsg_char_transport(index - count);
}
