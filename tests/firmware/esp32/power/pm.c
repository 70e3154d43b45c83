/* Locks of power management, of which a test says how many there are. */
#include "esp_pm.h"

struct esp_pm_lock {
    int exists;
    int taken;
};

static struct esp_pm_lock locks[ESP_PM_LOCK_MAX];

int left = ESP_PM_LOCK_MAX; /* that can still be made */
int mistakes;               /* in their use */

int taken(esp_pm_lock_type_t kind) { return locks[kind].taken; }

int existing(void) {
    int count = 0;
    for (int i = 0; i < ESP_PM_LOCK_MAX; i++) {
        count += locks[i].exists;
    }
    return count;
}

esp_err_t esp_pm_lock_create(esp_pm_lock_type_t kind, int arg, const char *name, esp_pm_lock_handle_t *lock) {
    if (left == 0) {
        return -1;
    }
    left--;
    mistakes += arg != 0 || name == NULL || locks[kind].exists;
    locks[kind].exists = 1;
    *lock = &locks[kind];
    return ESP_OK;
}

esp_err_t esp_pm_lock_acquire(esp_pm_lock_handle_t lock) {
    mistakes += !lock->exists || lock->taken;
    lock->taken = 1;
    return ESP_OK;
}

esp_err_t esp_pm_lock_release(esp_pm_lock_handle_t lock) {
    mistakes += !lock->taken;
    lock->taken = 0;
    return ESP_OK;
}

esp_err_t esp_pm_lock_delete(esp_pm_lock_handle_t lock) {
    mistakes += !lock->exists || lock->taken;
    lock->exists = 0;
    left++;
    return ESP_OK;
}
