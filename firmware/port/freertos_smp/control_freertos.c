/* What one task does to another: moves it, stops it. All of it is the kernel's own. */
#include "port_freertos.h"

enum port_error port_task_pin(port_task_t *task, uint32_t core) {
    vTaskCoreAffinitySet(task->handle, port_freertos_affinity(core));
    return PORT_OK;
}

void port_task_suspend(port_task_t *task) { vTaskSuspend(task->handle); }

void port_task_resume(port_task_t *task) { vTaskResume(task->handle); }

void port_checkpoint(void) {}
