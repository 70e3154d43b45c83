/* The timer of port_interrupt.h on Xtensa: CCOMPARE1 of the core that handles the interrupt. CCOMPARE1 is compared with
 * CCOUNT, from which the common clock is made, so the timer fires exactly, to the cycle, when the clock reads the
 * requested value. The interrupt has level 3, the highest for handlers in C. The kernel's critical sections mask it;
 * the tick (level 1) does not delay it. */
#include "esp32_clock.h"
#include "esp32_cpu.h"
#include "esp32_idf.h"
#include "esp32_trace.h"
#include "port_freertos.h"
#include "port_interrupt.h"

/* The Arduino IDE compiles all files of a library for every chip; this one is for Xtensa only. */
#ifdef __XTENSA__

#include "esp32_ccompare.h"

/* The timer is set at least this many cycles ahead. A moment that has already passed would match only 2^32 cycles
 * later. */
#define LEAD_CYCLES 400U

/* What the handler calls is in IRAM if all of this component is: then it runs also while flash is written. */
#ifdef CONFIG_INTERCORE_CODE_IRAM
#define FLAGS (ESP_INTR_FLAG_LEVEL3 | ESP_INTR_FLAG_IRAM)
#else
#define FLAGS ESP_INTR_FLAG_LEVEL3
#endif

static struct {
    uint32_t core;
    intr_handle_t interrupt;
    void (*handler)(void *arg);
    void *arg;
    volatile bool armed;
    uint64_t when;
} timer;

/* Writing CCOMPARE1 again, even with the same value, acknowledges the interrupt. CCOMPARE1 matches again every 2^32
 * cycles; the clock shows whether this is the match that was set. */
static void IRAM_ATTR match(void *unused) {
    (void)unused;
    esp32_trace_enter(IC_TRACE_OF_TIMER, XCHAL_TIMER1_INTERRUPT);
    bool due = timer.armed && port_clock() >= timer.when;
    ccompare_set_1(esp32_clock_to_counter(timer.when));
    if (due) {
        timer.armed = false;
        timer.handler(timer.arg);
    }
    esp32_trace_leave(IC_TRACE_OF_TIMER, XCHAL_TIMER1_INTERRUPT);
}

/* ---- open: an internal interrupt can only be enabled by its own core ---- */

static void enable(void *result) {
    *(esp_err_t *)result = esp_intr_alloc(ETS_INTERNAL_TIMER1_INTR_SOURCE, FLAGS, match, NULL, &timer.interrupt);
}

enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    static port_task_t task;
    static esp_err_t result;
    timer.core = core;
    timer.handler = handler;
    timer.arg = arg;
    timer.armed = false;
    struct port_task_config config = {
        .name = "enable", .entry = enable, .arg = &result, .core = core, .priority = PORT_PRIORITY_MAX};
    enum port_error error = port_task_start(&task, &config);
    if (error == PORT_OK) {
        port_task_join(&task);
        error = result == ESP_OK ? PORT_OK : PORT_ERR_RESOURCE;
    }
    return error;
}

void port_timer_close(void) {
    timer.armed = false;
    (void)esp_intr_free(timer.interrupt);
}

/* ---- set ---- */

/* Sets the timer to `when`, or to the next possible moment after it, and returns that moment. Call it on the timer's
 * core, with interrupts masked. While one core uses the flash, ESP-IDF stalls the other core, which no mask prevents.
 * If a stall is longer than LEAD_CYCLES, the moment has passed and no interrupt is pending: then a later moment is
 * set. */
static uint64_t arm(uint64_t when) {
    do {
        uint64_t earliest = port_clock() + LEAD_CYCLES;
        timer.when = when > earliest ? when : earliest;
        ccompare_set_1(esp32_clock_to_counter(timer.when));
    } while (port_clock() >= timer.when && !ccompare_is_pending(XCHAL_TIMER1_INTERRUPT));
    timer.armed = true;
    return timer.when;
}

static bool arm_here(uint64_t *when) {
    uint32_t state = cpu_mask();
    bool here = cpu_core() == timer.core;
    if (here) {
        *when = arm(*when);
    }
    cpu_unmask(state);
    return here;
}

static void arm_there(void *when) { (void)arm_here(when); }

/* If the caller is not on the timer's core, this takes about ten microseconds, because a task of ESP-IDF on the timer's
 * core then sets the timer. */
uint64_t port_timer_set(uint64_t when) {
    if (!arm_here(&when)) {
        (void)esp_ipc_call_blocking(timer.core, arm_there, &when);
    }
    return when;
}

#endif
