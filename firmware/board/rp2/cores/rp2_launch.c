/* Resets core 1 into the boot ROM, and launches it from there (DS 2.8.2). */
#include "rp2_launch.h"

#include "chip.h"
#include "hardware/sync.h"
#include "pico/multicore.h"

#define FIFO_VLD 1U
#define FIFO_RDY 2U

void multicore_reset_core1(void) {
    SET_BITS(PSM_FRCE_OFF) = PSM_PROC1;
    while ((REGISTER(PSM_FRCE_OFF) & PSM_PROC1) == 0) {
    }
    CLEAR_BITS(PSM_FRCE_OFF) = PSM_PROC1;
}

/* Waits until a bit of `state` is set in the FIFO's status register. Returns false if `go_on` returns false before
 * that. */
static bool await_fifo(uint32_t state, bool (*go_on)(void)) {
    while ((sio_hw->fifo_st & state) == 0) {
        if (!go_on()) {
            return false;
        }
    }
    return true;
}

static bool exchange(uint32_t word, uint32_t *echo, bool (*go_on)(void)) {
    if (!await_fifo(FIFO_RDY, go_on)) {
        return false;
    }
    sio_hw->fifo_wr = word;
    __sev();
    if (!await_fifo(FIFO_VLD, go_on)) {
        return false;
    }
    *echo = sio_hw->fifo_rd;
    return true;
}

/* Sends the launch sequence to core 1's boot ROM, which echoes each word. If an echo is wrong, the sequence starts
 * over. Before a 0 is sent, the FIFO to this core is emptied (DS 2.8.2). */
bool rp2_launch_core_1(uint32_t table, uint32_t stack, uint32_t entry, bool (*go_on)(void)) {
    const uint32_t words[] = {0, 0, 1, table, stack, entry};
    for (uint32_t next = 0; next < sizeof words / sizeof words[0];) {
        if (words[next] == 0) {
            multicore_fifo_drain();
            __sev();
        }
        uint32_t echo;
        if (!exchange(words[next], &echo, go_on)) {
            return false;
        }
        next = echo == words[next] ? next + 1U : 0;
    }
    return true;
}
