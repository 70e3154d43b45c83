/* The transports (ways to move messages between cores) of this board that work between two kernels */
#include "transports.h"

static const struct ic_transport *const transports[] = {
    // clang-format off
    IC_TRANSPORTS_FREERTOS_AMP(IC_TRANSPORT_LISTED)
    IC_TRANSPORTS_PORTABLE(IC_TRANSPORT_LISTED)
    // clang-format on
};

const struct ic_transport *port_transport(uint32_t index) {
    return index < sizeof transports / sizeof transports[0] ? transports[index] : NULL;
}
