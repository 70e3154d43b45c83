/* The one memory region of a Linux machine. */
#ifndef LINUX_MEMORY_H
#define LINUX_MEMORY_H

#include <stdbool.h>

/* Reserves the region; pages are not touched until a benchmark does. False if there is no memory for it. */
bool linux_memory_start(void);

#endif
