#include "esp_freertos_hooks.h"

#include <stddef.h>

static esp_freertos_idle_cb_t hooks[2];

int hooks_left = 2; /* that can still be registered */

/* Whether the idle task of a core may sleep: not if its hook says no. */
int may_sleep(unsigned int core) { return hooks[core] == NULL || hooks[core](); }

int registered(void) { return (hooks[0] != NULL) + (hooks[1] != NULL); }

esp_err_t esp_register_freertos_idle_hook_for_cpu(esp_freertos_idle_cb_t hook, UBaseType_t core) {
    if (hooks_left == 0) {
        return -1;
    }
    hooks_left--;
    hooks[core] = hook;
    return ESP_OK;
}

void esp_deregister_freertos_idle_hook_for_cpu(esp_freertos_idle_cb_t hook, UBaseType_t core) {
    if (hooks[core] == hook) {
        hooks[core] = NULL;
        hooks_left++;
    }
}
