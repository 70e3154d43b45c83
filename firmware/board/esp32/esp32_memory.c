#include "esp32_memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "esp32_idf.h"
#include "esp32_region.h"
#include "kernel.h"

#define SENTENCE_BYTES 200U

/* Default sizes where there is no Kconfig, as in Arduino's libraries; they are the same as Kconfig's. */
#ifndef CONFIG_INTERCORE_SAMPLES
#define CONFIG_INTERCORE_SAMPLES 8192
#endif
#ifndef CONFIG_INTERCORE_REGION_BYTES
#define CONFIG_INTERCORE_REGION_BYTES 40960
#endif
#ifndef CONFIG_INTERCORE_SECOND_REGION_BYTES
#define CONFIG_INTERCORE_SECOND_REGION_BYTES 16384
#endif
#ifndef CONFIG_INTERCORE_CONSOLE_STACK_BYTES
#define CONFIG_INTERCORE_CONSOLE_STACK_BYTES 6144
#endif
#ifndef CONFIG_INTERCORE_TASK_STACK_BYTES
#define CONFIG_INTERCORE_TASK_STACK_BYTES 4096
#endif

_Static_assert(INTERCORE_SAMPLES_LEAST >= PORT_SAMPLES_LEAST, "no benchmark can be run with as few");

static struct esp32_memory_sizes sizes;
static int64_t *samples;
static char sentence[SENTENCE_BYTES];

struct port_samples port_samples(void) { return (struct port_samples){.base = samples, .count = sizes.samples}; }

const struct esp32_memory_sizes *esp32_memory_sizes(void) { return &sizes; }

const char *esp32_memory_lacks(const char *what, uint32_t bytes) {
    (void)snprintf(sentence, sizeof sentence,
                   "too little memory for %s: %" PRIu32 " bytes in one piece are needed, and the largest free one has "
                   "%" PRIu32 "; set smaller sizes in intercore_config or in menuconfig, Intercore",
                   what, bytes, (uint32_t)heap_caps_get_largest_free_block(ESP32_MEMORY_CAPS));
    return sentence;
}

/* ---- sizes ---- */

static uint32_t chosen(uint32_t given, uint32_t configured) { return given != 0 ? given : configured; }

/* Returns NULL if `size` is between `least` and `most`, otherwise a sentence for the user that states this range. */
static const char *beyond(const char *name, uint32_t size, uint32_t least, uint32_t most) {
    if (size >= least && size <= most) {
        return NULL;
    }
    (void)snprintf(sentence, sizeof sentence,
                   "%s is %" PRIu32 " to %" PRIu32 ", and not %" PRIu32
                   ": set another in intercore_config or in menuconfig, Intercore",
                   name, least, most, size);
    return sentence;
}

static const char *choose(const struct intercore_config *config) {
    static const struct intercore_config none;
    config = config != NULL ? config : &none;
    sizes = (struct esp32_memory_sizes){
        .samples = chosen(config->samples, CONFIG_INTERCORE_SAMPLES),
        .region_bytes = chosen(config->region_bytes, CONFIG_INTERCORE_REGION_BYTES),
        .second_region_bytes = chosen(config->second_region_bytes, CONFIG_INTERCORE_SECOND_REGION_BYTES),
        .console_stack_bytes = chosen(config->console_stack_bytes, CONFIG_INTERCORE_CONSOLE_STACK_BYTES),
        .task_stack_bytes = chosen(config->task_stack_bytes, CONFIG_INTERCORE_TASK_STACK_BYTES),
    };
    if (sizes.second_region_bytes == INTERCORE_NONE) {
        sizes.second_region_bytes = 0;
    }
    const char *wrong = beyond("samples", sizes.samples, INTERCORE_SAMPLES_LEAST, INTERCORE_SAMPLES_MOST);
    if (wrong == NULL) {
        wrong = beyond("region_bytes", sizes.region_bytes, INTERCORE_REGION_LEAST, INTERCORE_REGION_MOST);
    }
    if (wrong == NULL) {
        wrong = beyond("second_region_bytes", sizes.second_region_bytes, 0, INTERCORE_REGION_MOST);
    }
    if (wrong == NULL) {
        wrong = beyond("console_stack_bytes", sizes.console_stack_bytes, INTERCORE_CONSOLE_STACK_LEAST,
                       INTERCORE_STACK_MOST);
    }
    if (wrong == NULL) {
        wrong = beyond("task_stack_bytes", sizes.task_stack_bytes, INTERCORE_TASK_STACK_LEAST, INTERCORE_STACK_MOST);
    }
    return wrong;
}

/* ---- allocation and release ---- */

void *esp32_memory_piece(size_t bytes, uint32_t caps) {
    bool there = heap_caps_get_largest_free_block(caps) >= bytes + ESP32_MEMORY_ALIGNMENT;
    return there ? heap_caps_aligned_alloc(ESP32_MEMORY_ALIGNMENT, bytes, caps) : NULL;
}

const char *esp32_memory_take(const struct intercore_config *config) {
    const char *wrong = choose(config);
    if (wrong != NULL) {
        return wrong;
    }
    uint32_t bytes = sizes.samples * (uint32_t)sizeof *samples;
    samples = esp32_memory_piece(bytes, ESP32_MEMORY_CAPS);
    if (samples == NULL) {
        return esp32_memory_lacks("the samples", bytes);
    }
    if (!esp32_region_take(sizes.region_bytes, sizes.second_region_bytes)) {
        wrong = esp32_memory_lacks("the memory region", sizes.region_bytes);
        esp32_memory_give_back();
        return wrong;
    }
    kernel_set_stack(sizes.task_stack_bytes);
    return NULL;
}

void esp32_memory_give_back(void) {
    esp32_region_give_back();
    heap_caps_free(samples);
    samples = NULL;
}
