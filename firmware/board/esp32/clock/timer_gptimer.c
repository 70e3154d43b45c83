/* The timer of port_interrupt.h where a core cannot compare its own counter (RISC-V): a GPTimer, which counts at half
 * the crystal's rate. It fires at the start of a count. Opening the timer determines, to a few cycles, when counts
 * start on the common clock. The interrupt has level 3, the highest for handlers in C. The kernel's critical sections
 * mask it; the tick (level 1) does not delay it. */
#include "esp32_counter_phase.h"
#include "esp32_cpu.h"
#include "esp32_idf.h"
#include "esp32_trace.h"
#include "port_freertos.h"
#include "port_interrupt.h"

/* The Arduino IDE compiles all files of a library for every chip; this one is not for Xtensa. */
#ifndef __XTENSA__

#define LEVEL 3

/* An alarm is set at least this many microseconds ahead. */
#define LEAD_US 20U

static struct {
    uint32_t core;
    gptimer_handle_t driver;
    struct esp32_counter_phase phase;
    void (*handler)(void *arg);
    void *arg;
    volatile bool armed;
    uint64_t when;
} timer;

/* Handler of the alarm. Ignores an alarm that comes before `when`: it was set before the current one. */
static bool IRAM_ATTR fire(gptimer_handle_t driver, const gptimer_alarm_event_data_t *event, void *unused) {
    (void)driver;
    (void)event;
    (void)unused;
    esp32_trace_enter(IC_TRACE_OF_TIMER, LEVEL);
    if (timer.armed && port_clock() + timer.phase.within >= timer.when) {
        timer.armed = false;
        timer.handler(timer.arg);
    }
    esp32_trace_leave(IC_TRACE_OF_TIMER, LEVEL);
    return false; /* false: if a switch is needed, the handler that woke the task has already requested it */
}

/* ---- open: ESP-IDF enables the interrupt on the core that calls it ---- */

static uint64_t read_count(void *driver) {
    uint64_t count = 0;
    (void)gptimer_get_raw_count(driver, &count);
    return count;
}

static bool start(void) {
    const gptimer_event_callbacks_t callbacks = {.on_alarm = fire};
    return gptimer_register_event_callbacks(timer.driver, &callbacks, NULL) == ESP_OK &&
           gptimer_enable(timer.driver) == ESP_OK && gptimer_start(timer.driver) == ESP_OK;
}

static void close_driver(void) {
    (void)gptimer_stop(timer.driver);
    (void)gptimer_disable(timer.driver);
    (void)gptimer_del_timer(timer.driver);
}

static void enable(void *result) {
    const uint32_t crystal_hz = (uint32_t)esp_clk_xtal_freq();
    const gptimer_config_t config = {.clk_src = GPTIMER_CLK_SRC_XTAL,
                                     .direction = GPTIMER_COUNT_UP,
                                     .resolution_hz = crystal_hz / 2U,
                                     .intr_priority = LEVEL};
    bool *enabled = result;
    *enabled = false;
    if (gptimer_new_timer(&config, &timer.driver) != ESP_OK) {
        return;
    }
    *enabled = start() && esp32_counter_phase_find(&timer.phase, read_count, timer.driver, crystal_hz / 2U);
    if (!*enabled) {
        close_driver();
    }
}

enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    static port_task_t task;
    static bool enabled;
    timer.core = core;
    timer.handler = handler;
    timer.arg = arg;
    timer.armed = false;
    struct port_task_config config = {
        .name = "enable", .entry = enable, .arg = &enabled, .core = core, .priority = PORT_PRIORITY_MAX};
    enum port_error error = port_task_start(&task, &config);
    if (error == PORT_OK) {
        port_task_join(&task);
        error = enabled ? PORT_OK : PORT_ERR_RESOURCE;
    }
    return error;
}

void port_timer_close(void) {
    timer.armed = false;
    close_driver();
}

/* ---- set ---- */

/* Sets the alarm to the first count at or after `when`, and returns when that count starts. Call it on the timer's
 * core, with interrupts masked. */
static uint64_t arm(uint64_t when) {
    uint64_t earliest = port_clock() + port_clock_hz() / 1000000U * LEAD_US;
    uint64_t cycles = (when > earliest ? when : earliest) - timer.phase.clock;
    uint64_t counts = count_counts(timer.phase.scale, cycles);
    const gptimer_alarm_config_t alarm = {.alarm_count = timer.phase.count + counts};
    timer.when = timer.phase.clock + count_cycles(timer.phase.scale, counts);
    timer.armed = gptimer_set_alarm_action(timer.driver, &alarm) == ESP_OK;
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
