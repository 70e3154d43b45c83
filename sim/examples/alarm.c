// A core that sleeps until alarms, whose interrupt the other core handles: core 0 toggles a pin as fast as it can,
// core 1 asks for an alarm every 50 us. As the alarm's interrupt is enabled on core 0, core 0 stops toggling each
// time, although the two share no data but the flag. The same happens with an alarm pool of the Pico SDK, which
// belongs to the core that created it.
#include "chip.h"

#define IO_BANK0_GPIO2_CTRL REGISTER(0x40014014)
#define SIO_OUT_XOR REGISTER(SIO + 0x1c)
#define SIO_OE_SET REGISTER(SIO + 0x24)

enum { FUNCTION_SIO = 5, PIN = 2, PERIOD_US = 50, ALARMS = 100 };

static volatile uint32_t fired, done;

static void on_alarm(void) {
    TIMER_INTR = 1;
    fired = 1;
    __asm__ volatile("sev");
}

static void sleep_us(uint32_t us) {
    fired = 0;
    TIMER_ALARM0 = TIMER_TIMERAWL + us;
    while (!fired) {
        __asm__ volatile("wfe");
    }
}

static void sleeper(void) {
    for (uint32_t alarm = 0; alarm < ALARMS; alarm++) {
        sleep_us(PERIOD_US);
    }
    done = 1;
}

static uint32_t toggle(void) {
    uint32_t edges = 0;
    while (!done) {
        SIO_OUT_XOR = 1u << PIN;
        edges++;
    }
    return edges;
}

void example(void) {
    IO_BANK0_GPIO2_CTRL = FUNCTION_SIO;
    SIO_OE_SET = 1u << PIN;
    TIMER_INTE = 1;
    set_handler(IRQ_TIMER_0, on_alarm);
    NVIC_ISER = 1u << IRQ_TIMER_0;
    __asm__ volatile("cpsie i");
    start_core_1(sleeper);
    print_number("edges:", toggle());
}
