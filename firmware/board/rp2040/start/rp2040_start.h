/* From the first instruction to main(). */
#ifndef RP2040_START_H
#define RP2040_START_H

/* Fill value of the main stacks, which shows later how deep they were */
#define START_STACK_UNUSED 0xa5a5a5a5U

/* Entry of the image, in code, and in SRAM at its lowest address: the boot ROM or boot2.S jumps here. */
void board_entry(void);

#endif
