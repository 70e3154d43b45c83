/* Implements port_pin.h: the pad's input is read while SIO drives it, and the pin's interrupt tells its edges to the
 * core that opened it (RP2040 DS 2.19.3). */
#include "rp2_pin.h"

#include "chip.h"
#include "hardware/irq.h"
#include "port_freertos.h"
#include "port_pin.h"
#include "rp2_board.h"

#define LOWEST_PRIORITY 255U /* the kernel's, so that neither interrupts the other */
#define PIN_NUMBER 3U
/* A word of the registers has four bits of each of eight pins: level low, level high, falling edge, rising edge. */
#define EDGES (12U << 4U * PIN_NUMBER)

static struct {
    void (*handler)(void *arg);
    void *arg;
} pin;

static void edge(void) {
    IO_BANK0_INTR0 = EDGES;
    pin.handler(pin.arg);
}

bool port_pin_exists(void) { return true; }

enum port_error board_pin_open(void (*handler)(void *arg), void *arg) {
    pin.handler = handler;
    pin.arg = arg;
    SIO_GPIO_OE_SET = 1U << PIN_NUMBER;
    chip_select_pin(PIN_NUMBER, GPIO_FUNC_SIO);
    irq_set_exclusive_handler(IO_IRQ_BANK0, edge);
    irq_set_priority(IO_IRQ_BANK0, LOWEST_PRIORITY);
    irq_set_enabled(IO_IRQ_BANK0, true);
    IO_BANK0_INTR0 = EDGES; /* earlier ones */
    IO_BANK0_INTE0(get_core_num()) = EDGES;
    return PORT_OK;
}

void port_pin_close(void) {
    IO_BANK0_INTE0(0) = 0;
    IO_BANK0_INTE0(1) = 0;
}

/* The barrier orders what was written before, for the other core. */
BOARD_IN_SRAM(port_pin_toggle) uint64_t port_pin_toggle(void) {
    __dmb();
    uint64_t before = port_clock();
    SIO_GPIO_OUT_XOR = 1U << PIN_NUMBER;
    return before;
}
