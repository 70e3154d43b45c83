/* Stands for ESP-IDF's hooks of the idle tasks: the test says how many there are, and counts those of each core. */
#ifndef ESP_FREERTOS_HOOKS_H
#define ESP_FREERTOS_HOOKS_H

#include "esp_pm.h" /* esp_err_t */
#include "freertos/FreeRTOS.h"

typedef bool (*esp_freertos_idle_cb_t)(void);

esp_err_t esp_register_freertos_idle_hook_for_cpu(esp_freertos_idle_cb_t hook, UBaseType_t core);
void esp_deregister_freertos_idle_hook_for_cpu(esp_freertos_idle_cb_t hook, UBaseType_t core);

#endif
