/* Launches core 1 from the boot ROM. */
#ifndef RP2_LAUNCH_H
#define RP2_LAUNCH_H

#include <stdint.h>

#include <stdbool.h>

/* Makes core 1, which waits in the boot ROM, run `entry` with this vector table and main stack (DS 2.8.2). Returns true
 * when core 1 has begun. While core 1 does not answer, the function calls `go_on` repeatedly, and returns false as soon
 * as `go_on` returns false. The interrupt of the inter-core FIFO must be disabled. */
bool rp2_launch_core_1(uint32_t table, uint32_t stack, uint32_t entry, bool (*go_on)(void));

#endif
