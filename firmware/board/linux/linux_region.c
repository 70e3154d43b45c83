#include "linux_region.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "port.h"

#define PAGE 4096U

/* Smallest size of the region `ram`, also for machines that do not report their caches: larger than the second-level
 * cache of any core today */
#define RAM_DEFAULT (64UL << 20U)
#define RAM_MAX (256UL << 20U)
/* Size of the region `l1` on machines that do not report their caches: that of most cores' first-level cache */
#define L1_DEFAULT (32UL << 10U)

static struct port_region regions[3];
static uint32_t region_count;

static size_t whole_pages(size_t bytes) { return (bytes + PAGE - 1U) / PAGE * PAGE; }

/* Size of a cache; 0 if the C library cannot tell */
static size_t cache_bytes(int name) {
    long bytes = sysconf(name);
    return bytes > 0 ? (size_t)bytes : 0;
}

/* Size of the region `ram`: twice the last-level cache, so that sequential accesses reach the memory, but between
 * RAM_DEFAULT and RAM_MAX */
static size_t ram_bytes(void) {
    size_t twice = whole_pages(cache_bytes(_SC_LEVEL3_CACHE_SIZE) * 2U);
    return twice < RAM_DEFAULT ? RAM_DEFAULT : twice > RAM_MAX ? RAM_MAX : twice;
}

/* Size of the region `l1`, which fits into a core's first-level cache */
static size_t l1_bytes(void) {
    size_t bytes = whole_pages(cache_bytes(_SC_LEVEL1_DCACHE_SIZE));
    return bytes > 0 ? bytes : L1_DEFAULT;
}

/* Size of the region `llc`: half the last-level cache, so that the region stays in that cache while other programs run.
 * 0 if the size is unknown, or if half of the region would fit into the second-level cache. */
static size_t llc_bytes(void) {
    size_t half = whole_pages(cache_bytes(_SC_LEVEL3_CACHE_SIZE) / 2U);
    return half / 2U > cache_bytes(_SC_LEVEL2_CACHE_SIZE) ? half : 0;
}

static bool reserve(const char *name, size_t bytes) {
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return false;
    }
    regions[region_count++] = (struct port_region){.name = name, .base = base, .bytes = bytes};
    return true;
}

bool linux_region_start(void) {
    size_t llc = llc_bytes();
    return reserve("ram", ram_bytes()) && reserve("l1", l1_bytes()) && (llc == 0 || reserve("llc", llc));
}

bool port_region(uint32_t index, struct port_region *region) {
    if (index >= region_count) {
        return false;
    }
    *region = regions[index];
    return true;
}
