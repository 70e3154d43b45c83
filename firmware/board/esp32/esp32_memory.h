/* What a session takes from the heap, and how much: samples, regions and stacks. ESP-IDF's program is not ours, so none
 * of it is static, and all of it goes back when the session ends. */
#ifndef ESP32_MEMORY_H
#define ESP32_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "intercore.h"

/* Internal memory that takes accesses of any width. */
#define ESP32_MEMORY_CAPS (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT)

/* A piece of the heap, aligned to 64 bytes, for heap_caps_free(); NULL if there is none. The heap is asked for its
 * largest piece first: a project may have an allocation that fails end the program
 * (CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS). */
void *esp32_memory_piece(size_t bytes, uint32_t caps);
#define ESP32_MEMORY_ALIGNMENT 64U

/* The sizes of a session, each as given or as configured, and within its range (intercore.h). */
struct esp32_memory_sizes {
    uint32_t samples;
    uint32_t region_bytes;
    uint32_t second_region_bytes;
    uint32_t console_stack_bytes;
    uint32_t task_stack_bytes;
};

/* Takes samples and regions, of the sizes that `config`, or for what it leaves out the project's configuration, asks
 * for, and sets the stacks of benchmarks' tasks. NULL; or in a sentence why not, and then nothing is kept. */
const char *esp32_memory_take(const struct intercore_config *config);

/* Gives it back. Nobody measures any more. */
void esp32_memory_give_back(void);

/* The sizes that were taken. */
const struct esp32_memory_sizes *esp32_memory_sizes(void);

/* The sentence that there is no piece of `bytes` bytes for something, with the largest piece that there is. It stays as
 * it is until intercore_start() is called again. */
const char *esp32_memory_lacks(const char *what, uint32_t bytes);

#endif
