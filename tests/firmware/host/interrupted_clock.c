/* A common clock that is made of the counter by a rate that the test chooses, and that is interrupted again and again. */
#include "port.h"

/* Of 32 readings in a row, the first so many are followed by an interrupt. */
#define INTERRUPTED 28U
#define INTERRUPT_NS 200000.0

static double counter_hz;
static uint64_t origin;
static uint32_t readings;

static double elapsed_ns(void) { return (double)(port_cycles() - origin) * 1e9 / counter_hz; }

void interrupted_clock_start(double hz) {
    counter_hz = hz;
    origin = port_cycles();
    readings = 0;
}

uint64_t port_clock(void) {
    double now = elapsed_ns();
    if (readings++ % 32U < INTERRUPTED) {
        while (elapsed_ns() < now + INTERRUPT_NS) {
        }
    }
    return (uint64_t)now;
}

uint64_t port_clock_hz(void) { return 1000000000U; }
