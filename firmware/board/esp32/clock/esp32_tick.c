#include "esp32_tick.h"

#include "esp32_clock.h"
#include "esp32_counter_phase.h"
#include "esp32_idf.h"
#include "port_freertos.h"

/* The time of an edge of the tick in the past, on the common clock */
static uint64_t known_edge;

static uint64_t tick(void) { return port_clock_hz() / configTICK_RATE_HZ; }

#ifdef CONFIG_FREERTOS_SYSTICK_USES_CCOUNT

#include "esp32_ccompare.h"

#ifndef CONFIG_FREERTOS_CORETIMER_0
#error "The kernel's tick must be CCOMPARE0 (CONFIG_FREERTOS_CORETIMER_0): CCOMPARE1 is the timer of the benchmarks."
#endif

const char *esp32_tick_start(void) {
    known_edge = esp32_clock_of_counter(ccompare_0()) - tick();
    return NULL;
}

#else

/* 40 MHz / 2.5 (ESP32-S3 TRM 11.3.1). It is the same on an ESP32-P4 (SOC_SYSTIMER_FIXED_DIVIDER in its soc_caps.h). */
#define SYSTIMER_HZ 16000000U

static uint64_t IRAM_ATTR read_systimer(void *unused) {
    (void)unused;
    systimer_ll_counter_snapshot(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK);
    while (!systimer_ll_is_counter_value_valid(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK)) {
    }
    uint32_t low = systimer_ll_get_counter_value_low(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK);
    return (uint64_t)systimer_ll_get_counter_value_high(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK) << 32U | low;
}

const char *esp32_tick_start(void) {
    struct esp32_counter_phase systimer;
    if (!esp32_counter_phase_find(&systimer, read_systimer, NULL, SYSTIMER_HZ)) {
        return "SYSTIMER and the cores do not run from one clock";
    }
    uint64_t since_edge = systimer.count % (SYSTIMER_HZ / configTICK_RATE_HZ);
    known_edge = systimer.clock - count_cycles(systimer.scale, since_edge) - tick();
    return NULL;
}

#endif

uint64_t port_tick_edge(void) {
    uint64_t now = port_clock();
    return now - (now - known_edge) % tick();
}
