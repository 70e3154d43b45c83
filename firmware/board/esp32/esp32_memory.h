/* The memory of a session (from intercore_start() to intercore_stop()), which comes from the heap: samples, regions and
 * stacks. Intercore is part of another program, so none of this memory is static, and all of it is freed when the
 * session ends. */
#ifndef ESP32_MEMORY_H
#define ESP32_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "intercore.h"

/* Capabilities to request from ESP-IDF's heap: internal memory that takes accesses of any width */
#define ESP32_MEMORY_CAPS (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT)

/* Allocates a block of the heap, aligned to 64 bytes, to be freed with heap_caps_free(). Returns NULL if there is no
 * such block. It first checks the size of the heap's largest block, because a project may be configured to abort when
 * an allocation fails (CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS). */
void *esp32_memory_piece(size_t bytes, uint32_t caps);
#define ESP32_MEMORY_ALIGNMENT 64U

/* The sizes of a session's memory, from struct intercore_config or from the project's configuration, checked against
 * their ranges (intercore.h) */
struct esp32_memory_sizes {
    uint32_t samples;
    uint32_t region_bytes;
    uint32_t second_region_bytes;
    uint32_t console_stack_bytes;
    uint32_t task_stack_bytes;
};

/* Allocates samples and regions, and sets the size of the stacks of benchmarks' tasks. The sizes are those in `config`,
 * or, where it has 0, those of the project's configuration. Returns NULL, or a sentence with the reason for a failure;
 * then nothing stays allocated. */
const char *esp32_memory_take(const struct intercore_config *config);

/* Frees the samples and regions. No measurement may run. */
void esp32_memory_give_back(void);

/* The allocated sizes */
const struct esp32_memory_sizes *esp32_memory_sizes(void);

/* Returns a sentence for the user: the heap has no block of `bytes` bytes for `what`, and the size of its largest free
 * block. The sentence is valid until intercore_start() is called again. */
const char *esp32_memory_lacks(const char *what, uint32_t bytes);

#endif
