#include "esp32_tick.h"

#include "esp32_clock.h"
#include "esp32_count.h"
#include "esp32_idf.h"
#include "esp32_xtensa.h"
#include "port_freertos.h"

/* Common clock at some edge of the past. */
static uint64_t known_edge;

static uint64_t tick(void) { return port_clock_hz() / configTICK_RATE_HZ; }

#ifdef CONFIG_FREERTOS_SYSTICK_USES_CCOUNT

#ifndef CONFIG_FREERTOS_CORETIMER_0
#error "The kernel's tick must be CCOMPARE0 (CONFIG_FREERTOS_CORETIMER_0): CCOMPARE1 is the timer of the benchmarks."
#endif

const char *esp32_tick_start(void) {
    known_edge = esp32_clock_of_counter(xtensa_compare_0()) - tick();
    return NULL;
}

#else

#define SYSTIMER_HZ 16000000U /* ESP32-S3 TRM 11.3.1: 40 MHz / 2.5 */
#define READINGS 256U

static uint64_t IRAM_ATTR read_systimer(void) {
    systimer_ll_counter_snapshot(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK);
    while (!systimer_ll_is_counter_value_valid(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK)) {
    }
    uint32_t low = systimer_ll_get_counter_value_low(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK);
    return (uint64_t)systimer_ll_get_counter_value_high(&SYSTIMER, SYSTIMER_COUNTER_OS_TICK) << 32U | low;
}

/* The clock when that counter was 0, from what it read somewhere between two readings of the clock: a count lasts
 * `cycles`. */
const char *esp32_tick_start(void) {
    uint64_t cycles = port_clock_hz() / SYSTIMER_HZ;
    struct count_ahead zero = COUNT_AHEAD_UNKNOWN;
    uint64_t counted = 0;
    for (uint32_t i = 0; i < READINGS; i++) {
        uint32_t state = xtensa_mask();
        uint64_t before = port_clock();
        counted = read_systimer();
        uint64_t after = port_clock();
        xtensa_unmask(state);
        count_narrow(&zero, (int64_t)(before - (counted + 1U) * cycles), (int64_t)(after - counted * cycles));
        for (uint32_t begun = xtensa_counter(); xtensa_counter() - begun < i % 32U;) {
        }
    }
    if (!count_is_known(&zero)) {
        return "SYSTIMER and the cores do not run from one clock";
    }
    uint64_t last = counted - counted % (SYSTIMER_HZ / configTICK_RATE_HZ);
    known_edge = (uint64_t)count_middle(&zero) + last * cycles - tick();
    return NULL;
}

#endif

uint64_t port_tick_edge(void) {
    uint64_t now = port_clock();
    return now - (now - known_edge) % tick();
}
