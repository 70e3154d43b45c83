/* Reports the kernel's configuration as conditions. */
#include "port_freertos.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

static const struct port_condition conditions[] = {
    {"freertos.version", tskKERNEL_VERSION_NUMBER " SMP"},
    {"freertos.sources", IC_FREERTOS_SOURCES},
    {"freertos.port", IC_FREERTOS_PORT},
    {"freertos.cores", TEXT(configNUMBER_OF_CORES)},
    {"freertos.tick_hz", TEXT(configTICK_RATE_HZ)},
    {"freertos.tick_core", TEXT(configTICK_CORE)},
    {"freertos.preemption", TEXT(configUSE_PREEMPTION)},
    {"freertos.time_slicing", TEXT(configUSE_TIME_SLICING)},
    {"freertos.run_multiple_priorities", TEXT(configRUN_MULTIPLE_PRIORITIES)},
    {"freertos.core_affinity", TEXT(configUSE_CORE_AFFINITY)},
    {"freertos.max_priorities", TEXT(configMAX_PRIORITIES)},
    {"freertos.console_priority", "1"},
    {"freertos.idle", "both idle tasks sleep (WFI); tickless " TEXT(configUSE_TICKLESS_IDLE)},
    {"freertos.passive_idle_hook", TEXT(configUSE_PASSIVE_IDLE_HOOK)},
    {"freertos.heap", "heap_4, " TEXT(configTOTAL_HEAP_SIZE) " bytes; tasks of benchmarks are made from it"},
    {"freertos.stack_check", TEXT(configCHECK_FOR_STACK_OVERFLOW)},
    {"freertos.assert", "on"},
    {"freertos.timers", TEXT(configUSE_TIMERS)},
    {"freertos.notification_entries", TEXT(configTASK_NOTIFICATION_ARRAY_ENTRIES)},
    {"freertos.switch_hook", "counts preemptions"},
    {"freertos.tick_hook", "time slicing, as the kernel's own, while a benchmark asks for it (contention)"},
    {"object.notification", "direct-to-task notification"},
    {"object.semaphore", "FreeRTOS semaphore, static"},
    {"object.mutex", "FreeRTOS mutex, with priority inheritance"},
    {"object.queue", "FreeRTOS queue"},
    {"object.events", "FreeRTOS event group"},
    {"object.stream", "FreeRTOS stream buffer"},
    {"object.memory", "pvPortMalloc of heap_4"},
};

bool port_freertos_condition(uint32_t index, struct port_condition *condition) {
    if (index >= sizeof conditions / sizeof conditions[0]) {
        return false;
    }
    *condition = conditions[index];
    return true;
}
