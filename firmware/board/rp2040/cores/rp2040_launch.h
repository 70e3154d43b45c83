/* Launch of core 1 */
#ifndef RP2040_LAUNCH_H
#define RP2040_LAUNCH_H

/* First: newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdbool.h>

/* Makes core 1, which waits in the boot ROM, run `entry` with that vector table and main stack (DS 2.8.2). Returns true
 * when it has begun; false if `go_on`, which is called while core 1 does not answer, returns false. Call it with the
 * inter-core FIFO's interrupt disabled. */
bool rp2040_launch_core_1(uint32_t table, uint32_t stack, uint32_t entry, bool (*go_on)(void));

#endif
