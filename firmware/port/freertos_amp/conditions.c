/* Reports the kernels' configuration, which is the same on both cores, as conditions. */
#include "port_amp.h"
#include "port_freertos.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

static const struct port_condition conditions[] = {
    {"freertos.version", tskKERNEL_VERSION_NUMBER " AMP, a kernel for each core"},
    {"freertos.sources", IC_FREERTOS_SOURCES},
    {"freertos.port", IC_FREERTOS_PORT},
    {"freertos.cores", TEXT(configNUMBER_OF_CORES)},
    {"freertos.tick_hz", TEXT(configTICK_RATE_HZ)},
    {"freertos.tick_core", "each its own"},
    {"freertos.preemption", TEXT(configUSE_PREEMPTION)},
    {"freertos.time_slicing", TEXT(configUSE_TIME_SLICING)},
    {"freertos.max_priorities", TEXT(configMAX_PRIORITIES)},
    {"freertos.console_priority", "1"},
    {"freertos.idle", "the idle tasks sleep (WFI); tickless " TEXT(configUSE_TICKLESS_IDLE)},
    {"freertos.heap", "heap_4, " TEXT(configTOTAL_HEAP_SIZE) " bytes each; tasks of benchmarks are made from it"},
    {"freertos.stack_check", TEXT(configCHECK_FOR_STACK_OVERFLOW)},
    {"freertos.assert", "on"},
    {"freertos.timers", TEXT(configUSE_TIMERS)},
    {"freertos.notification_entries", TEXT(configTASK_NOTIFICATION_ARRAY_ENTRIES)},
    {"freertos.switch_hook", "counts preemptions, and says that a task waits"},
    {"freertos.tick_hook", "looks whether the other core lives, and whether a doorbell was lost"},
    {"amp.protocol", TEXT(PORT_AMP_PROTOCOL)},
    {"object.notification", "direct-to-task notification; to the other core by mailbox and doorbell"},
    {"object.semaphore", "a count in shared memory under a lock between the cores, with notifications"},
    {"object.memory", "pvPortMalloc of heap_4, the own core's"},
};

bool port_freertos_condition(uint32_t index, struct port_condition *condition) {
    if (index >= sizeof conditions / sizeof conditions[0]) {
        return false;
    }
    *condition = conditions[index];
    return true;
}
