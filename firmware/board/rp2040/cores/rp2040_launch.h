/* Launch of core 1 */
#ifndef RP2040_LAUNCH_H
#define RP2040_LAUNCH_H

/* Before stdatomic.h: newlib's stdatomic.h needs the types of stdint.h if the compiler is clang. */
#include <stdint.h>

#include <stdbool.h>

/* Makes core 1, which waits in the boot ROM, run `entry` with this vector table and main stack (DS 2.8.2). Returns true
 * when core 1 has begun. While core 1 does not answer, `go_on` is called; if it returns false, so does this function.
 * The interrupt of the inter-core FIFO must be disabled. */
bool rp2040_launch_core_1(uint32_t table, uint32_t stack, uint32_t entry, bool (*go_on)(void));

#endif
