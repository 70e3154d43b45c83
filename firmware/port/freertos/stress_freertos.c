/* The functions that the stress test (stress.h) needs from FreeRTOS in addition to port.h */
#include "port_freertos.h"
#include "stress.h"

void *stress_allocate(size_t bytes) { return pvPortMalloc(bytes); }

void stress_free(void *block) { vPortFree(block); }

size_t stress_memory_free(void) { return xPortGetFreeHeapSize(); }

uint32_t stress_stack_left(void) { return port_freertos_stack_left(); }
