#include "rp2350_watchdog.h"

#include "port_freertos.h"
#include "rp2350_registers.h"
#include "rp2_clocks.h"

#define CTRL_ENABLE (1U << 30U)
#define CTRL_PAUSE_DEBUG (7U << 24U) /* the watchdog pauses while a debugger has stopped the chip */
#define MIE_TIMER (1U << 7U)         /* of mie */

/* What a watchdog reset resets, as bits of PSM_WDSEL: everything except the two oscillators (DS 7.4.4) */
#define PSM_ALL_BUT_OSCILLATORS 0x1fffff3U

#define BEAT_CYCLES ((uint64_t)WATCHDOG_BEAT_US * (CLOCKS_SYS_HZ / CLOCKS_US_HZ))

static uint64_t next_beat;
static TickType_t ticks_at_last_beat;

static void feed(void) { WATCHDOG_LOAD = WATCHDOG_PERIOD_US; }

void rp2350_watchdog_start(void) {
    CLEAR_BITS(WATCHDOG_CTRL) = CTRL_ENABLE;
    PSM_WDSEL = PSM_ALL_BUT_OSCILLATORS;
    feed();
    SET_BITS(WATCHDOG_CTRL) = CTRL_ENABLE | CTRL_PAUSE_DEBUG;
}

static void beat(void) {
    TickType_t ticks = xTaskGetTickCountFromISR();
    next_beat += BEAT_CYCLES;
    vPortSetTimer(next_beat);
    if (ticks != ticks_at_last_beat) {
        ticks_at_last_beat = ticks;
        feed();
    }
}

void rp2350_watchdog_start_beat(void) {
    xPortCores[1].pxTimer = beat;
    next_beat = port_clock() + BEAT_CYCLES;
    vPortSetTimer(next_beat);
    __asm volatile("csrs mie, %0" ::"r"(MIE_TIMER));
}
