/* What the stress run needs of Linux besides port.h. */
#include <stdlib.h>

#include "stress.h"

void *stress_allocate(size_t bytes) { return malloc(bytes); }

void stress_free(void *block) { free(block); }

/* Threads come from elsewhere; leaks are for the address sanitizer to find. */
size_t stress_memory_free(void) { return 0; }

uint32_t stress_stack_left(void) { return 0; }
