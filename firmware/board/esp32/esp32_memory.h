/* A session's memory from the heap: samples, regions and stacks. None of it is static, because it runs inside ESP-IDF's
 * program, and all of it is freed when the session ends. */
#ifndef ESP32_MEMORY_H
#define ESP32_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "intercore.h"

/* Internal memory that takes accesses of any width */
#define ESP32_MEMORY_CAPS (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT)

/* A block of the heap, aligned to 64 bytes, for heap_caps_free(); NULL if there is none. Checks the heap's largest
 * block first: a project may be configured to abort at a failed allocation
 * (CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS). */
void *esp32_memory_piece(size_t bytes, uint32_t caps);
#define ESP32_MEMORY_ALIGNMENT 64U

/* The sizes of a session, as given or as configured, and within their ranges (intercore.h) */
struct esp32_memory_sizes {
    uint32_t samples;
    uint32_t region_bytes;
    uint32_t second_region_bytes;
    uint32_t console_stack_bytes;
    uint32_t task_stack_bytes;
};

/* Allocates samples and regions, of the sizes in `config` or, where it leaves them out, in the project's configuration,
 * and sets the stacks of benchmarks' tasks. Returns NULL, or a sentence with the reason of a failure; then nothing
 * stays allocated. */
const char *esp32_memory_take(const struct intercore_config *config);

/* Frees it. No measurement may run. */
void esp32_memory_give_back(void);

/* The allocated sizes */
const struct esp32_memory_sizes *esp32_memory_sizes(void);

/* The sentence that there is no block of `bytes` bytes for something, with the size of the largest block. Valid until
 * intercore_start() is called again. */
const char *esp32_memory_lacks(const char *what, uint32_t bytes);

#endif
