#include "region.h"

#include <sys/mman.h>
#include <unistd.h>

#include "port.h"

/* Larger than the second-level cache of any core today, for machines that do not tell. */
#define BYTES_DEFAULT (64UL << 20U)
#define BYTES_MAX (256UL << 20U)

static void *base;
static size_t bytes;

/* Twice the last-level cache where it is known, so that streams run from memory. */
static size_t choose_size(void) {
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (cache <= 0) {
        return BYTES_DEFAULT;
    }
    size_t twice = ((size_t)cache * 2U + 4095U) / 4096U * 4096U;
    return twice < BYTES_DEFAULT ? BYTES_DEFAULT : twice > BYTES_MAX ? BYTES_MAX : twice;
}

bool linux_region_start(void) {
    bytes = choose_size();
    base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return base != MAP_FAILED;
}

bool port_region(uint32_t index, struct port_region *region) {
    if (index != 0) {
        return false;
    }
    *region = (struct port_region){.name = "ram", .base = base, .bytes = bytes};
    return true;
}
