/* The transports (ways to move messages between cores) of this board: FreeRTOS objects, ring buffers in memory, and the
 * chip's hardware. A simulated chip has no DMA, which is the last one. */
#include "transports.h"
#include "chip.h"
#include "rp2_clocks.h"

static const struct ic_transport *const transports[] = {
    // clang-format off
    IC_TRANSPORTS_FREERTOS(IC_TRANSPORT_LISTED)
    IC_TRANSPORTS_PORTABLE(IC_TRANSPORT_LISTED)
    IC_TRANSPORTS_RP2(IC_TRANSPORT_LISTED)
    // clang-format on
};

enum { ALL = sizeof transports / sizeof transports[0], UNKNOWN = 0 };

static uint32_t count(void) {
    static uint32_t known = UNKNOWN;
    if (known == UNKNOWN) {
        rp2_clocks_reset_blocks(RESET_DMA); /* in reset, it says nothing; nobody uses it yet */
        known = ALL - (DMA_N_CHANNELS == 0 ? 1U : 0U);
    }
    return known;
}

const struct ic_transport *port_transport(uint32_t index) {
    return index < count() ? transports[index] : ic_transport_added(index - count());
}
