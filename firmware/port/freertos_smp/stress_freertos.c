/* What the stress run needs of FreeRTOS SMP besides port.h. */
#include "port_freertos.h"
#include "stress.h"

void stress_move(port_task_t *task, uint32_t core) {
    vTaskCoreAffinitySet(task->handle, core == PORT_CORE_ANY ? (UBaseType_t)tskNO_AFFINITY : (UBaseType_t)1U << core);
}

void *stress_allocate(size_t bytes) { return pvPortMalloc(bytes); }

void stress_free(void *block) { vPortFree(block); }

size_t stress_memory_free(void) { return xPortGetFreeHeapSize(); }

uint32_t stress_stack_left(void) { return port_freertos_stack_left(); }
