#include "rp2040_watchdog.h"

#include "port_freertos.h"
#include "rp2040_cores.h"
#include "rp2040_registers.h"
#include "rp2_clocks.h"

#define CTRL_ENABLE (1U << 30U)
#define CTRL_PAUSE_DEBUG (7U << 24U) /* the watchdog pauses while a debugger has stopped the chip */

/* What a watchdog reset resets, as bits of PSM_WDSEL: everything except the two oscillators (DS 2.13.5) */
#define PSM_ALL_BUT_OSCILLATORS 0x1fffcU

#define SYST_ENABLE 1U
#define SYST_INTERRUPT 2U /* bit 2 stays 0, so that SysTick counts the tick of 1 µs (DS 2.4.5.1.1) */

#define COUNTS (2U * WATCHDOG_PERIOD_US)
_Static_assert(COUNTS <= 0xffffffU && WATCHDOG_BEAT_US <= 0x1000000U, "both counters have 24 bits");
_Static_assert(WATCHDOG_BEAT_US % (CLOCKS_US_HZ / configTICK_RATE_HZ) == 0, "all beats are in one phase of the tick");

static TickType_t ticks_at_last_beat;

void rp2040_watchdog_feed(void) { WATCHDOG_LOAD = COUNTS; }

void rp2040_watchdog_start(void) {
    CLEAR_BITS(WATCHDOG_CTRL) = CTRL_ENABLE;
    PSM_WDSEL = PSM_ALL_BUT_OSCILLATORS;
    rp2040_watchdog_feed();
    SET_BITS(WATCHDOG_CTRL) = CTRL_ENABLE | CTRL_PAUSE_DEBUG;
}

/* Core 0 starts the kernel's tick at about the same time. The first period is longer by half a tick, so that no beat
 * meets an edge of the tick, where it would delay what core 0 does then. */
void rp2040_watchdog_start_beat(void) {
    rp2040_cores_set_systick(1, rp2040_watchdog_beat);
    SYST_RVR = WATCHDOG_BEAT_US - 1U + CLOCKS_US_HZ / configTICK_RATE_HZ / 2U;
    SYST_CVR = 0;
    SYST_CSR = SYST_INTERRUPT | SYST_ENABLE;
    while (SYST_CVR == 0) { /* until it counts from the value above */
    }
    SYST_RVR = WATCHDOG_BEAT_US - 1U;
}

void rp2040_watchdog_beat(void) {
    TickType_t ticks = xTaskGetTickCountFromISR();
    if (ticks != ticks_at_last_beat) {
        ticks_at_last_beat = ticks;
        rp2040_watchdog_feed();
    }
}
