/* The memory regions of a Linux machine: `ram`, and two that fit into caches: `l1` into that of a core, `llc` into the
 * shared last-level one. All are ordinary memory: the hardware decides which cache holds them. */
#ifndef LINUX_REGION_H
#define LINUX_REGION_H

#include <stdbool.h>

/* Reserves the regions; pages are allocated when a benchmark uses them. False if there is no memory for them. */
bool linux_region_start(void);

#endif
