/* The interrupt handlers and main stacks of both cores. */
#ifndef RP2_CORES_H
#define RP2_CORES_H

#include <stdint.h>

/* Bytes of a core's main stack, which interrupts use (and on core 0 also main()). The number has no suffix such as U,
 * because it also becomes part of an assembler text. */
#define CORES_STACK_BYTES 1024
#define CORES_STACK_WORDS (CORES_STACK_BYTES / sizeof(uint32_t))

/* The main stacks of core 0 and core 1. The linker script places them. */
extern uint32_t rp2_cores_stacks[2][CORES_STACK_WORDS];

/* Prepares both cores' handlers, and the calling core for exceptions. Call it before any exception can occur. */
void rp2_cores_vectors_start(void);

/* Return and set the handler of a core's interrupt `number` (hardware/irq.h). A new handler is valid at once, on either
 * core. */
void (*rp2_cores_handler(uint32_t core, uint32_t number))(void);
void rp2_cores_set_handler(uint32_t core, uint32_t number, void (*handler)(void));

/* Number of words of a core's main stack that have never been used */
uint32_t rp2_cores_stack_left(uint32_t core);

#endif
