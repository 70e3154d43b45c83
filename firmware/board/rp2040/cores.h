/* Both cores' vector tables and main stacks, and how core 1 begins. */
#ifndef RP2040_CORES_H
#define RP2040_CORES_H

#include <stdint.h>

/* Bytes of a core's main stack, which interrupts use (and main(), on core 0). Without a suffix: it stands in assembler
 * text as well. */
#define CORES_STACK_BYTES 1024
#define CORES_STACK_WORDS (CORES_STACK_BYTES / sizeof(uint32_t))

/* By core; the linker places them. */
extern uint32_t cores_stacks[2][CORES_STACK_WORDS];

/* Fills both vector tables and lets core 0 use its own. Nothing that can be interrupted may run before. */
void cores_vectors_start(void);

/* What a core does on an interrupt (DS 2.3.2); takes effect at once, on either core. */
void (*cores_handler(uint32_t core, uint32_t number))(void);
void cores_set_handler(uint32_t core, uint32_t number, void (*handler)(void));

/* Words that the main stack of a core has never used. */
uint32_t cores_stack_left(uint32_t core);

#endif
