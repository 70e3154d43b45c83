/* What the stress test needs from Linux in addition to port.h */
#include <stdlib.h>

#include "stress.h"

void *stress_allocate(size_t bytes) { return malloc(bytes); }

void stress_free(void *block) { free(block); }

/* Linux does not allocate threads' stacks from malloc()'s heap, so the heap's free bytes would not reveal a leak. The
 * address sanitizer finds leaks. */
size_t stress_memory_free(void) { return 0; }

uint32_t stress_stack_left(void) { return 0; }
