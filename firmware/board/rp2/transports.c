/* The transports (ways to move messages between cores) of this board: FreeRTOS objects, ring buffers in memory, and the
 * chip's hardware */
#include "transports.h"

static const struct ic_transport *const transports[] = {
    // clang-format off
    IC_TRANSPORTS_FREERTOS(IC_TRANSPORT_LISTED)
    IC_TRANSPORTS_PORTABLE(IC_TRANSPORT_LISTED)
    IC_TRANSPORTS_RP2(IC_TRANSPORT_LISTED)
    // clang-format on
};

enum { COUNT = sizeof transports / sizeof transports[0] };

const struct ic_transport *port_transport(uint32_t index) {
    return index < COUNT ? transports[index] : ic_transport_added(index - COUNT);
}
