#include "esp32_instruments.h"

#include <inttypes.h>
#include <stdio.h>

#include "esp32_clock.h"
#include "esp32_cpu.h"
#include "esp32_idf.h"
#include "esp32_mark.h"
#include "esp32_memory.h"
#include "esp32_pin.h"
#include "esp32_region.h"
#include "esp32_tick.h"
#include "port.h"

#define TEXT_BYTES 64U
#define NUMBER_BYTES 12U
#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

static char sys_hz[NUMBER_BYTES];
static char uncertainty[NUMBER_BYTES + sizeof "ticks"];
static char offset[TEXT_BYTES];
static char ppm[NUMBER_BYTES];
static char stacks[TEXT_BYTES - 4U];

#ifdef CONFIG_STDATOMIC_S32C1I_SPIRAM_WORKAROUND
#define ATOMIC "a function of ESP-IDF: S32C1I in internal memory, under a spinlock in PSRAM"
#else
#define ATOMIC CPU_ATOMIC " (compare and swap), in a loop"
#endif

#ifdef CONFIG_FREERTOS_SYSTICK_USES_CCOUNT
#define TICK "CCOMPARE0 of core 0, known exactly"
#else
#define TICK "SYSTIMER, known to some cycles"
#endif

#ifdef __XTENSA__
#define TIMER "CCOMPARE1 of the core, exact to the cycle, level 3"
#else
#define TIMER "a GPTimer at half the crystal's rate, known to some cycles, level 3"
#endif

const char *esp32_instruments_start(void) {
    const char *wrong = esp32_clock_start();
    if (wrong != NULL) {
        return wrong;
    }
    wrong = esp32_tick_start();
    if (wrong != NULL) {
        esp32_clock_stop();
        return wrong;
    }
    esp32_mark_start();
    (void)snprintf(sys_hz, sizeof sys_hz, "%" PRIu64, port_cycles_hz());
    (void)snprintf(uncertainty, sizeof uncertainty, "%" PRIu32 " ticks", esp32_clock_uncertainty());
    (void)snprintf(offset, sizeof offset, "core 1's counter is %" PRId64 " cycles ahead of core 0's",
                   esp32_clock_ahead());
    (void)snprintf(ppm, sizeof ppm, "%" PRId32, esp32_clock_ppm());
    (void)snprintf(stacks, sizeof stacks, "console %" PRIu32 ", tasks %" PRIu32 " and what they ask for",
                   esp32_memory_sizes()->console_stack_bytes, esp32_memory_sizes()->task_stack_bytes);
    return NULL;
}

void esp32_instruments_stop(void) { esp32_clock_stop(); }

bool esp32_instruments_condition(uint32_t index, struct port_condition *condition) {
    const struct port_condition conditions[] = {
        {"clock.sys_hz", sys_hz},
        {"clock.uncertainty", uncertainty},
        {"clock.offset", offset},
        {"clock.esp_timer_ppm", ppm},
        {"clock.counter", CPU_COUNTER " of each core, each from when its core was started"},
        {"clock.counter_bits", TEXT(CPU_COUNTER_BITS)},
        {"clock.tick_edge", TICK},
        {"interrupt.timer", TIMER},
        {"interrupt.doorbell", "the kernel's cross-core interrupt, in front of its handler, level 1"},
        {"interrupt.pin", PIN_TEXT},
        {"memory.regions", esp32_region_text()},
        {"memory.stack_bytes", stacks},
        {"memory.flash", "the region flash, through the cache"},
        {"memory.word_bytes", "4"},
        {"spinlock", CPU_ATOMIC " (compare and swap) on a word of internal memory, polled"},
        {"atomic", ATOMIC},
#ifdef IC_TRACE
        {"recorder", TEXT(IC_TRACE) " events of each core; off unless `record` measures"},
#endif
        {"mark", esp32_mark_text()},
    };
    if (index >= sizeof conditions / sizeof conditions[0]) {
        return false;
    }
    *condition = conditions[index];
    return true;
}
