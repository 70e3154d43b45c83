/* Stands for ESP-IDF's power management: locks that the test gives out and counts. */
#ifndef ESP_PM_H
#define ESP_PM_H

#include <stddef.h>

typedef int esp_err_t;
#define ESP_OK 0

typedef enum { ESP_PM_CPU_FREQ_MAX, ESP_PM_APB_FREQ_MAX, ESP_PM_NO_LIGHT_SLEEP, ESP_PM_LOCK_MAX } esp_pm_lock_type_t;
typedef struct esp_pm_lock *esp_pm_lock_handle_t;

esp_err_t esp_pm_lock_create(esp_pm_lock_type_t kind, int arg, const char *name, esp_pm_lock_handle_t *lock);
esp_err_t esp_pm_lock_acquire(esp_pm_lock_handle_t lock);
esp_err_t esp_pm_lock_release(esp_pm_lock_handle_t lock);
esp_err_t esp_pm_lock_delete(esp_pm_lock_handle_t lock);

/* What a test asks: whether the lock of a kind is taken, and how many exist. */
int taken(esp_pm_lock_type_t kind);
int existing(void);

#endif
