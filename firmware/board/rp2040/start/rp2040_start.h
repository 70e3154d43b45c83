/* The start of the program, from the first instruction to main() */
#ifndef RP2040_START_H
#define RP2040_START_H

/* Fill value of the main stacks. The words that still have it later have never been used. */
#define START_STACK_UNUSED 0xa5a5a5a5U

/* Entry of the image, where the boot ROM or boot2.S jumps to. It is code, and in an image for SRAM it is at the lowest
 * address. */
void board_entry(void);

#endif
