/* The transports of this board: FreeRTOS' own. */
#include "transports_freertos.h"

static const struct ic_transport *const transports[] = {
    // clang-format off
    &ic_transport_queue,
    &ic_transport_stream_buffer,
    &ic_transport_message_buffer,
    &ic_transport_notification,
    // clang-format on
};

const struct ic_transport *port_transport(uint32_t index) {
    return index < sizeof transports / sizeof transports[0] ? transports[index] : NULL;
}
