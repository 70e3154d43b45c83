/* The memory regions of a Linux machine: `ram`, and two that fit caches: `l1` that of a core, `llc` the last-level one,
 * which cores share. All are ordinary memory: which cache they are in is up to the hardware. */
#ifndef LINUX_REGION_H
#define LINUX_REGION_H

#include <stdbool.h>

/* Reserves the regions; pages are not touched until a benchmark does. False if there is no memory for them. */
bool linux_region_start(void);

#endif
