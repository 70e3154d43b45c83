/* From the first instruction to main(). */
#ifndef RP2040_START_H
#define RP2040_START_H

/* What start-up fills the main stacks with, to see later how deep they were. */
#define START_STACK_UNUSED 0xa5a5a5a5U

/* Where the image begins, in code, and in SRAM at its lowest address: the boot ROM jumps here, or boot2.S does. */
void board_entry(void);

#endif
