/* Starting a core, and code that no cache holds, for benchmarks: part of the platform interface (port.h). A platform
 * that can do neither takes port/launch_none.c. */
#ifndef PORT_LAUNCH_H
#define PORT_LAUNCH_H

#include "port.h"

/* Empties the cache through which the cores fetch code. Returns false if there is none that the platform can empty; so
 * it also tells whether there is one. */
bool port_code_cache_empty(void);

/* Whether core 1 can be reset and launched again, and then go on with its tasks. Only then may the functions below be
 * called. */
bool port_core_resets(void);

/* Call it in a task on core 1, whose state it keeps while core 0 resets and launches the core. Returns when core 1
 * is as it was before: the reading of the common clock by the first instruction that core 1 executed after its boot
 * code. */
uint64_t port_core_stand_by(void);

/* Resets core 1, and returns when it waits for its launch, as after power-on. Call it in a task on core 0 after a
 * task on core 1 has called port_core_stand_by(), or is about to. From now on the interrupts of core 0 are masked. */
void port_core_reset(void);

/* Launches core 1 as a program does that starts, and unmasks the interrupts of core 0. Returns a reading of the common
 * clock: core 1 has begun to execute, as far as core 0 can tell. */
uint64_t port_core_launch(void);

#endif
