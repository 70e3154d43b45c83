/* What the stress test needs of Linux in addition to port.h */
#include <stdlib.h>

#include "stress.h"

void *stress_allocate(size_t bytes) { return malloc(bytes); }

void stress_free(void *block) { free(block); }

/* Threads are not allocated from it; the address sanitizer finds leaks. */
size_t stress_memory_free(void) { return 0; }

uint32_t stress_stack_left(void) { return 0; }
