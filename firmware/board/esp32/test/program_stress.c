/* The stress test on the chip, with the functions that the test needs in addition to port.h */
#include "esp32_board.h"
#include "esp32_test_end.h"
#include "esp_heap_caps.h"
#include "port_freertos.h"
#include "stress.h"

void *stress_allocate(size_t bytes) { return pvPortMalloc(bytes); }

void stress_free(void *block) { vPortFree(block); }

size_t stress_memory_free(void) { return heap_caps_get_free_size(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT); }

uint32_t stress_stack_left(void) { return port_freertos_stack_left(); }

void esp32_program(void) { esp32_test_end("the port bears the stress", stress_run()); }
