/* ESP-IDF's task watchdog. It monitors the idle tasks of the cores, which do not run while a benchmark occupies a core.
 * While Intercore runs, the watchdog is set to 60 s, as in the published measurements that docs/published.md calls seed
 * 000, and only warns, so that long work does not reset the chip. */
#include "esp32_board.h"
#include "esp_task_wdt.h"

#define SESSION_S 60U

static bool changed;

#ifdef CONFIG_ESP_TASK_WDT_INIT
static uint32_t idle_cores(void) {
    uint32_t mask = 0;
#ifdef CONFIG_ESP_TASK_WDT_CHECK_IDLE_TASK_CPU0
    mask |= 1U << 0U;
#endif
#ifdef CONFIG_ESP_TASK_WDT_CHECK_IDLE_TASK_CPU1
    mask |= 1U << 1U;
#endif
    return mask;
}

#ifdef CONFIG_ESP_TASK_WDT_PANIC
#define PANIC true
#else
#define PANIC false
#endif

static bool set(uint32_t seconds, bool panic) {
    const esp_task_wdt_config_t wanted = {
        .timeout_ms = seconds * 1000U, .idle_core_mask = idle_cores(), .trigger_panic = panic};
    return esp_task_wdt_reconfigure(&wanted) == ESP_OK; /* fails if the application has ended the watchdog */
}

void esp32_watchdog_start_session(void) { changed = set(SESSION_S, false); }

void esp32_watchdog_end_session(void) {
    if (changed) {
        (void)set(CONFIG_ESP_TASK_WDT_TIMEOUT_S, PANIC);
        changed = false;
    }
}
#else
void esp32_watchdog_start_session(void) {}

void esp32_watchdog_end_session(void) {}
#endif

/* Whether the watchdog is on: the application may have started it itself, or have ended it. */
static bool is_on(void) {
#ifdef CONFIG_ESP_TASK_WDT_EN
    return esp_task_wdt_status(NULL) != ESP_ERR_INVALID_STATE;
#else
    return false;
#endif
}

const char *esp32_watchdog_text(void) {
    if (changed) {
        return "task watchdog 60 s, warns only; fed by the idle tasks";
    }
    return is_on() ? "task watchdog as the application has set it" : "task watchdog off";
}
