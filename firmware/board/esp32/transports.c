/* The transports of this board: FreeRTOS' own, rings in memory, and ESP-IDF's. */
#include "ring.h"
#include "rpmsg.h"
#include "transports_esp_idf.h"
#include "transports_freertos.h"

static const struct ic_transport *const transports[] = {
    // clang-format off
    &ic_transport_queue,
    &ic_transport_stream_buffer,
    &ic_transport_message_buffer,
    &ic_transport_notification,
    &ic_transport_ring,
    &ic_transport_ring_zero_copy,
    &ic_transport_rpmsg,
    &ic_transport_rpmsg_zero_copy,
    &ic_transport_ringbuf,
    &ic_transport_ringbuf_zero_copy,
    // clang-format on
};

const struct ic_transport *port_transport(uint32_t index) {
    return index < sizeof transports / sizeof transports[0] ? transports[index] : NULL;
}
