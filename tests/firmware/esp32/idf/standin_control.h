/* What a test says to the stand-in, and asks it. */
#ifndef STANDIN_CONTROL_H
#define STANDIN_CONTROL_H

#include <stddef.h>
#include <stdint.h>

/* The heap's bytes in either bank, from its start. Nothing may be taken from it. */
void standin_heap(size_t sram2_bytes, size_t sram1_bytes);

/* Lets these allocations fail, counted from now on, from 1; 0, 0: none. */
void standin_heap_fail(uint32_t first, uint32_t last);

/* How many there were since then. */
uint32_t standin_heap_allocations(void);

/* Bytes that are taken. */
size_t standin_heap_used(void);

/* Hooks of the tick that there are for both cores together, and those in use. */
void standin_hooks(uint32_t most);
uint32_t standin_hooks_in_use(void);

/* The size of the data partition `intercore`; 0: there is none. At most 4096. */
void standin_partition(uint32_t bytes);

/* Locks of power management that are held. */
int standin_locks(void);

/* What the task watchdog waits for. */
uint32_t standin_watchdog_ms(void);

/* Calls with what the kernel did last, in the order in which it did it, and where of its own it was: on which core, the
 * trace macro there, without `trace`, and the task or object, as it would be numbered. */
void standin_did(void (*call)(int core, const char *macro, uint32_t object));

#endif
