/* Changes and restores the priority of the task that runs the framework's main loop, such as Arduino's loop()
 * (loop.h). */
#include "loop.h"
#include "port_freertos.h"

uint32_t port_loop_raise(uint32_t priority) {
    UBaseType_t before = uxTaskPriorityGet(NULL);
    vTaskPrioritySet(NULL, (UBaseType_t)(tskIDLE_PRIORITY + 1U + priority));
    return (uint32_t)before;
}

void port_loop_lower(uint32_t before) { vTaskPrioritySet(NULL, (UBaseType_t)before); }
