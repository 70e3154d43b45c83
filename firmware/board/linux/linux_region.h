/* The memory regions of a Linux machine. `ram` is larger than the caches (but at most 256 MiB), `l1` fits into the
 * first-level cache of a core, and `llc` fits into the shared last-level cache. All are ordinary memory; the hardware
 * decides which cache holds them. */
#ifndef LINUX_REGION_H
#define LINUX_REGION_H

#include <stdbool.h>

/* Reserves the regions. Their pages are allocated when a benchmark uses them. Returns false if there is no memory. */
bool linux_region_start(void);

#endif
