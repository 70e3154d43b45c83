/* The start of the firmware, from the first instruction to main() */
#ifndef RP2_START_H
#define RP2_START_H

#include <stdbool.h>
#include <stdint.h>

/* Every word of the main stacks is set to this value at start. Words that still have it later have never been used. */
#define START_STACK_UNUSED 0xa5a5a5a5U

/* Entry of the image, where the boot ROM (or boot2.S) jumps to. It is code, and in an image for SRAM it is at the
 * lowest address. */
void board_entry(void);

/* Whether code is executed in flash */
static inline bool rp2_code_is_in_flash(void) { return (uintptr_t)board_entry >> 24U == 0x10U; }

/* Starts the program: memory, clocks, constructors, main(). board_entry() calls it on core 0's main stack. */
void rp2_start_c(void);

#endif
