/* Both cores' vector tables and main stacks. */
#ifndef RP2040_CORES_H
#define RP2040_CORES_H

#include <stdint.h>

/* Bytes of a core's main stack, which interrupts use (and main(), on core 0). Without a suffix: it stands in assembler
 * text as well. */
#define CORES_STACK_BYTES 1024
#define CORES_STACK_WORDS (CORES_STACK_BYTES / sizeof(uint32_t))

/* By core; the linker places them. */
extern uint32_t rp2040_cores_stacks[2][CORES_STACK_WORDS];

/* Fills both vector tables and lets the core that calls use its own. Nothing that can be interrupted may run before. */
void rp2040_cores_vectors_start(void);

/* Where the vector table of a core is. */
uint32_t rp2040_cores_table(uint32_t core);

/* Gives a core's SysTick another handler than the kernel's tick. */
void rp2040_cores_set_systick(uint32_t core, void (*handler)(void));

/* What a core does on an interrupt (DS 2.3.2); takes effect at once, on either core. */
void (*rp2040_cores_handler(uint32_t core, uint32_t number))(void);
void rp2040_cores_set_handler(uint32_t core, uint32_t number, void (*handler)(void));

/* Words that the main stack of a core has never used. */
uint32_t rp2040_cores_stack_left(uint32_t core);

#endif
