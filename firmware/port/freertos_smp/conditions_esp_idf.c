/* Reports the configuration of ESP-IDF's kernel as conditions. */
#include "esp_idf_version.h"
#include "port_freertos.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

#ifdef CONFIG_FREERTOS_SYSTICK_USES_CCOUNT
#define TICK_SOURCE "a cycle counter's compare register in each core"
#else
#define TICK_SOURCE "SYSTIMER, an alarm for each core"
#endif

/* Before ESP-IDF 6 the kernel is in IRAM by default. From ESP-IDF 6 on it is in flash, except for functions that
 * interrupts call. */
#if (ESP_IDF_VERSION_MAJOR < 6 && !defined(CONFIG_FREERTOS_PLACE_FUNCTIONS_INTO_FLASH)) ||                             \
    defined(CONFIG_FREERTOS_IN_IRAM)
#define KERNEL_CODE "iram"
#else
#define KERNEL_CODE "flash, but for what interrupts call"
#endif

#ifdef CONFIG_FREERTOS_USE_TICKLESS_IDLE
#define TICKLESS "1"
#else
#define TICKLESS "0"
#endif

#ifdef CONFIG_FREERTOS_USE_TRACE_FACILITY
#define TRACE "on"
#else
#define TRACE "off"
#endif

#ifdef CONFIG_FREERTOS_GENERATE_RUN_TIME_STATS
#define RUN_TIME_STATS "on"
#else
#define RUN_TIME_STATS "off"
#endif

#ifdef CONFIG_FREERTOS_ISR_STACKSIZE
#define ISR_STACK TEXT(CONFIG_FREERTOS_ISR_STACKSIZE)
#else
#define ISR_STACK "unknown"
#endif

#if configTASK_NOTIFICATION_ARRAY_ENTRIES > 1
#define NOTIFICATION "direct-to-task notification, index 1"
#else
#define NOTIFICATION "direct-to-task notification, index 0, which stream buffers use as well"
#endif

#ifdef NDEBUG
#define ASSERT "off"
#else
#define ASSERT "on"
#endif

#ifdef __XTENSA__
#define CORES "Xtensa"
#define IDLE "both idle tasks sleep (WAITI)"
#define MASKED "up to level 3"
#else
#define CORES "RISC-V"
#define IDLE "neither idle task sleeps, as the cycle counters may stop in WFI"
#define MASKED "below level 4"
#endif

static const struct port_condition conditions[] = {
    {"freertos.version", tskKERNEL_VERSION_NUMBER " IDF"},
#ifdef IC_FREERTOS_SOURCES /* Arduino and PlatformIO link a precompiled kernel, whose sources are not known */
    {"freertos.sources", IC_FREERTOS_SOURCES},
#endif
    {"freertos.port", "ESP-IDF's FreeRTOS for two cores, " CORES},
    {"freertos.cores", TEXT(configNUMBER_OF_CORES)},
    {"freertos.tick_hz", TEXT(CONFIG_FREERTOS_HZ)},
    {"freertos.tick_core", "each"},
    {"freertos.tick_source", TICK_SOURCE},
    {"freertos.preemption", TEXT(configUSE_PREEMPTION)},
    {"freertos.time_slicing", TEXT(configUSE_TIME_SLICING)},
    {"freertos.affinity", "fixed when a task is created"},
    {"freertos.max_priorities", "25"},
    {"freertos.console_priority", "1"},
    {"freertos.idle", IDLE "; tickless " TICKLESS},
    {"freertos.heap", "ESP-IDF's, internal memory; tasks of benchmarks are made from it"},
    {"freertos.code", KERNEL_CODE},
    {"freertos.stack_check", TEXT(configCHECK_FOR_STACK_OVERFLOW)},
    {"freertos.interrupt_stack_bytes", ISR_STACK},
    {"freertos.assert", ASSERT},
    {"freertos.timers", TEXT(configUSE_TIMERS)},
    {"freertos.notification_entries", TEXT(CONFIG_FREERTOS_TASK_NOTIFICATION_ARRAY_ENTRIES)},
    {"freertos.trace_facility", TRACE},
    {"freertos.run_time_stats", RUN_TIME_STATS},
    {"freertos.switch_hook", "none: preemptions are not counted"},
    {"critical_section", "portENTER_CRITICAL: interrupts " MASKED " masked, and a spinlock of Intercore's"},
    {"object.notification", NOTIFICATION},
    {"object.semaphore", "FreeRTOS semaphore, static"},
    {"object.mutex", "FreeRTOS mutex, with priority inheritance on one core"},
    {"object.queue", "FreeRTOS queue"},
    {"object.events", "FreeRTOS event group"},
    {"object.stream", "FreeRTOS stream buffer"},
    {"object.memory", "pvPortMalloc: heap_caps, internal memory"},
};

bool port_freertos_condition(uint32_t index, struct port_condition *condition) {
    if (index >= sizeof conditions / sizeof conditions[0]) {
        return false;
    }
    *condition = conditions[index];
    return true;
}
