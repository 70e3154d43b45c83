/* A unit of the workload `memory` reads 64 bytes of memory region 0, which is larger than any private cache of a core.
 * Successive units read successive addresses, and start again at the end of the region. */
#include "port.h"
#include "workloads.h"

#define LINE_WORDS 16U /* 64 bytes */

static struct {
    const uint32_t *words;
    uint32_t line_count;
} stream PORT_SHARED(stream);

/* Fills the region: every word holds its index, so that the sum of any range is known in advance. */
IC_UNTIMED static void prepare(void) {
    struct port_region region;
    if (!port_region(0, &region)) {
        return;
    }
    uint32_t *fill = region.base;
    stream.line_count = (uint32_t)(region.bytes / (LINE_WORDS * sizeof *fill));
    for (uint32_t i = 0; i < stream.line_count * LINE_WORDS; i++) {
        fill[i] = i;
    }
    stream.words = fill;
}

static uint32_t work(uint32_t first, uint32_t count) {
    uint32_t sum = 0;
    uint32_t line = first % stream.line_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *word = stream.words + (size_t)line * LINE_WORDS;
        for (uint32_t k = 0; k < LINE_WORDS; k++) {
            sum += word[k];
        }
        if (++line == stream.line_count) {
            line = 0;
        }
    }
    return sum;
}

/* Returns the sum of the words of the first `lines` lines of 16 words, 0 + 1 + … + (16 lines - 1), modulo 2^32. */
static uint32_t sum_to(uint32_t lines) {
    uint64_t count = (uint64_t)lines * LINE_WORDS;
    return (uint32_t)(count * (count - 1U) / 2U);
}

IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    uint32_t start = first % stream.line_count;
    uint32_t rounds = count / stream.line_count;
    uint32_t rest = count % stream.line_count;
    uint32_t sum = rounds * sum_to(stream.line_count);
    if (rest < stream.line_count - start) {
        return sum + sum_to(start + rest) - sum_to(start);
    }
    return sum + sum_to(stream.line_count) - sum_to(start) + sum_to(rest - (stream.line_count - start));
}

const struct ic_workload ic_workload_memory = {.prepare = prepare, .work = work, .expected = expected};
