/* Implements the functions of port_interrupt.h that call the kernel in interrupt handlers. */
#include "port_interrupt.h"

#include "port_freertos.h"

void port_notify_from_handler(port_task_t *task) {
    BaseType_t yield = pdFALSE;
    vTaskNotifyGiveIndexedFromISR(task->handle, PORT_FREERTOS_NOTIFY_TASK, &yield);
    portYIELD_FROM_ISR(yield);
}

void port_freertos_yield_from_handler(void) { portYIELD_FROM_ISR(pdTRUE); }
