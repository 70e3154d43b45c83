/* While Intercore runs, prevents everything that changes the cores' clock or stops their counters: the common clock
 * depends on both. */
#include "esp32_board.h"
#include "sdkconfig.h"

/* ---- sleeping cores ---- */

#ifdef __riscv
#include "freertos/FreeRTOS.h" /* must come first, because esp_freertos_hooks.h includes only a part of it */

#include "esp_freertos_hooks.h"

#define CORES 2U

static bool awake;

/* While this hook is registered, the idle task does not sleep. */
static bool stay_awake(void) { return false; }

/* Keeps the idle tasks awake. Needed on RISC-V only: there a core may stop its counter while it waits for an interrupt
 * (WFI). An Xtensa core continues to count. */
static void hold_awake(void) {
    awake = true;
    for (uint32_t core = 0; core < CORES; core++) {
        awake = esp_register_freertos_idle_hook_for_cpu(stay_awake, core) == ESP_OK && awake;
    }
}

static void release_awake(void) {
    for (uint32_t core = 0; core < CORES; core++) {
        esp_deregister_freertos_idle_hook_for_cpu(stay_awake, core);
    }
}
#else
static const bool awake = true;

static void hold_awake(void) {}

static void release_awake(void) {}
#endif

/* ---- power management, if the program enables it: it lowers the cores' clock, and stops it in light sleep ---- */

#ifdef CONFIG_PM_ENABLE
#include "esp_pm.h"

/* Each lock prevents one of these: a slower CPU clock, a slower APB clock, light sleep (ESP-IDF Programming Guide,
 * "Power Management"). So all three are taken. */
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

static void hold_locks(void) {
    held = true;
    for (size_t i = 0; i < LOCKS; i++) {
        held = take(i) && held;
    }
}

static void release_locks(void) {
    for (size_t i = 0; i < LOCKS; i++) {
        if (locks[i] != NULL) {
            (void)esp_pm_lock_release(locks[i]);
            (void)esp_pm_lock_delete(locks[i]);
            locks[i] = NULL;
        }
    }
    held = false;
}

static const char *managed(void) {
    return held ? "power management is on, and held at the highest it was given"
                : "power management may change it: times do not hold";
}
#else
static void hold_locks(void) {}

static void release_locks(void) {}

static const char *managed(void) { return "fixed"; }
#endif

void esp32_frequency_hold(void) {
    hold_awake();
    hold_locks();
}

void esp32_frequency_release(void) {
    release_locks();
    release_awake();
}

const char *esp32_frequency_text(void) {
    return awake ? managed() : "a core that sleeps may not count, and no hook keeps it awake: times do not hold";
}
