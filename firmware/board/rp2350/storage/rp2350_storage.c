/* Implements rp2_storage.h by the registers of window 0 of QMI, as the boot ROM has set them: it chooses among commands
 * after each of which the flash takes the next one. */
#include "rp2350_registers.h"
#include "rp2_board.h"
#include "rp2_storage.h"

static struct {
    uint32_t timing;
    uint32_t rfmt;
    uint32_t rcmd;
} kept;

BOARD_IN_SRAM(rp2350_storage_read_again) static void read_again(void) {
    QMI_M0_TIMING = kept.timing;
    QMI_M0_RFMT = kept.rfmt;
    QMI_M0_RCMD = kept.rcmd;
}

void (*rp2_storage_keep_reading(void))(void) {
    kept.timing = QMI_M0_TIMING;
    kept.rfmt = QMI_M0_RFMT;
    kept.rcmd = QMI_M0_RCMD;
    return read_again;
}
