/* The transports (ways to move messages between cores) of a Linux machine: its objects for threads and processes, ring
 * buffers in memory, and RPMsg devices */
#include "transports.h"
#include "rpmsg_char.h"

static const struct ic_transport *const transports[] = {
    // clang-format off
    IC_TRANSPORTS_POSIX(IC_TRANSPORT_LISTED)
    IC_TRANSPORTS_PORTABLE(IC_TRANSPORT_LISTED)
    // clang-format on
};

const struct ic_transport *port_transport(uint32_t index) {
    uint32_t count = sizeof transports / sizeof transports[0];
    return index < count ? transports[index] : rpmsg_char_transport(index - count);
}
