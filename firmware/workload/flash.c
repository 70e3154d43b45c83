/* A unit of the workload `flash` reads 16 words of a table in flash. The table is a read-only memory region of the
 * board, and larger than the cache of the flash. In each round every word is read once, in an order without a stride
 * that a prefetcher could follow. If the cores share one bus to the flash, their cache misses are served one after the
 * other.
 *
 * On a board without a read-only region, the table is in memory region 0, and has at most INSTEAD_BYTES bytes. The
 * result then does not apply to flash, as the condition memory.flash in the results states. */
#include "port.h"
#include "workloads.h"

#define READS 16U
#define INSTEAD_BYTES 65536U

static struct {
    const uintptr_t *words;
    uint32_t mask; /* the number of words, which is a power of two, minus 1 */
} table PORT_SHARED(flash_table);

/* Finds the first read-only region. If there is none, finds region 0 and returns false. */
static bool find_flash(struct port_region *region) {
    for (uint32_t i = 0; port_region(i, region); i++) {
        if (region->read_only) {
            return true;
        }
    }
    (void)port_region(0, region);
    return false;
}

IC_UNTIMED static void prepare(void) {
    struct port_region region;
    bool filled = find_flash(&region);
    size_t bytes = filled || region.bytes < INSTEAD_BYTES ? region.bytes : INSTEAD_BYTES;
    uint32_t count = 1;
    while (count * sizeof(uintptr_t) * 2U <= bytes) {
        count *= 2U;
    }
    uintptr_t *fill = region.base;
    for (uint32_t i = 0; !filled && i < count; i++) {
        fill[i] = (uintptr_t)i * PORT_REGION_STEP;
    }
    table.words = region.base;
    table.mask = count - 1U;
}

/* Returns the index of the k-th word to read in a round. Every index up to mask = 2^b - 1 occurs exactly once, because
 * both kinds of steps can be undone modulo 2^b: the multiplication by an odd number, and k ^ k >> s. */
static uint32_t place(uint32_t k, uint32_t mask) {
    k = k * 0x9e3779b1U & mask;
    k ^= k >> 5U;
    k = k * 0x85ebca6bU & mask;
    return k ^ k >> 6U;
}

static uint32_t work(uint32_t first, uint32_t count) {
    const uintptr_t *words = table.words;
    uint32_t mask = table.mask;
    uint32_t k = first * READS;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t end = k + READS; k != end; k++) {
            sum += (uint32_t)words[place(k, mask)];
        }
    }
    return sum;
}

/* Computes the expected sum without reading the table: a whole round adds the sum of all words, and the words of the
 * last, partial round are added one by one. */
IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    uint64_t size = (uint64_t)table.mask + 1U;
    uint64_t reads = (uint64_t)count * READS;
    uint32_t sum = (uint32_t)(reads / size) * (uint32_t)(size * (size - 1U) / 2U);
    uint32_t k = first * READS;
    for (uint32_t rest = (uint32_t)(reads % size); rest > 0; rest--) {
        sum += place(k++, table.mask);
    }
    return sum * PORT_REGION_STEP;
}

const struct ic_workload ic_workload_flash = {.prepare = prepare, .work = work, .expected = expected};
