/* The one memory region of a Linux machine. */
#ifndef LINUX_REGION_H
#define LINUX_REGION_H

#include <stdbool.h>

/* Reserves the region; pages are not touched until a benchmark does. False if there is no memory for it. */
bool linux_region_start(void);

#endif
