/* The stress test of the transports on the chip, during which interrupts are masked now and then, by hold() */
#include "esp32_board.h"
#include "esp32_test_end.h"
#include "port_freertos.h"
#include "transport_stress.h"

/* Occupies the core for `ticks` clock ticks with interrupts masked. Like a driver, it does not take the kernel's lock,
 * so the kernel continues on the other core. */
static void hold(uint64_t ticks) {
    UBaseType_t mask = portSET_INTERRUPT_MASK_FROM_ISR();
    for (uint64_t start = port_clock(); port_clock() - start < ticks;) {
    }
    portCLEAR_INTERRUPT_MASK_FROM_ISR(mask);
}

void esp32_program(void) { esp32_test_end("the transports bear the stress", transport_stress_run(1, hold)); }
