/* How core 1 begins. */
#ifndef RP2040_LAUNCH_H
#define RP2040_LAUNCH_H

/* First, as newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdbool.h>

/* Lets core 1, which waits in the boot ROM, run `entry` with that vector table and main stack (DS 2.8.2). Returns true
 * when it has begun; false if `go_on`, which is asked while core 1 does not answer, says that it has waited long
 * enough. With the inter-core FIFO's interrupt not enabled. */
bool rp2040_launch_core_1(uint32_t table, uint32_t stack, uint32_t entry, bool (*go_on)(void));

#endif
