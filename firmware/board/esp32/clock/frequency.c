/* Power management, where a program has it on: it lowers the clock of the cores and stops it in light sleep, and the
 * common clock counts that clock. */
#include "esp32_board.h"
#include "sdkconfig.h"

#ifdef CONFIG_PM_ENABLE
#include "esp_pm.h"

/* What each keeps off is documented apart from the others (ESP-IDF Programming Guide, "Power Management"). */
static const esp_pm_lock_type_t kinds[] = {ESP_PM_CPU_FREQ_MAX, ESP_PM_APB_FREQ_MAX, ESP_PM_NO_LIGHT_SLEEP};
#define LOCKS (sizeof kinds / sizeof kinds[0])

static esp_pm_lock_handle_t locks[LOCKS];
static bool held;

static bool take(size_t index) {
    if (esp_pm_lock_create(kinds[index], 0, "intercore", &locks[index]) != ESP_OK) {
        locks[index] = NULL;
    }
    return locks[index] != NULL && esp_pm_lock_acquire(locks[index]) == ESP_OK;
}

void esp32_frequency_hold(void) {
    held = true;
    for (size_t i = 0; i < LOCKS; i++) {
        held = take(i) && held;
    }
}

void esp32_frequency_release(void) {
    for (size_t i = 0; i < LOCKS; i++) {
        if (locks[i] != NULL) {
            (void)esp_pm_lock_release(locks[i]);
            (void)esp_pm_lock_delete(locks[i]);
            locks[i] = NULL;
        }
    }
    held = false;
}

const char *esp32_frequency_text(void) {
    return held ? "power management is on, and held at the highest it was given"
                : "power management may change it: times do not hold";
}
#else
void esp32_frequency_hold(void) {}

void esp32_frequency_release(void) {}

const char *esp32_frequency_text(void) { return "fixed"; }
#endif
