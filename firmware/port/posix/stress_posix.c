/* What the stress test needs from Linux in addition to port.h */
#include <stdlib.h>

#include "stress.h"

void *stress_allocate(size_t bytes) { return malloc(bytes); }

void stress_free(void *block) { free(block); }

/* Threads do not take their memory from this heap, so there is no number to watch. The address sanitizer finds
 * leaks. */
size_t stress_memory_free(void) { return 0; }

uint32_t stress_stack_left(void) { return 0; }
