/* What the busy tasks of the benchmark `jitter` do, and on which cores they are. Those of `load` compute in registers
 * (load_work=loop), send to a queue of their own and receive from it (queue), read and write memory region 0 (memory),
 * or print lines on the console (uart). */
#ifndef IC_LOAD_H
#define IC_LOAD_H

#include <stdatomic.h>

#include "port.h"

enum load { LOAD_NONE, LOAD_CORE0, LOAD_CORE1, LOAD_BOTH, LOAD_SAME };
enum load_work { WORK_LOOP, WORK_QUEUE, WORK_MEMORY, WORK_UART };

/* Whether there is a busy task on this core. `pinned_to` is the core of the periodic task, or PORT_CORE_ANY. */
bool ic_load_is_on(enum load load, uint32_t pinned_to, uint32_t core);

/* Prepares the work of the busy tasks of all cores; returns false if there is no memory for it. */
bool ic_load_open(enum load_work work);
void ic_load_close(enum load_work work);

/* Works for a moment, and for a shorter one if it is halted meanwhile. */
void ic_load_turn(enum load_work work, uint32_t core, const atomic_bool *halted);

/* Returns when the busy tasks, which are halted, have left the console to the caller. */
void ic_load_await_console(enum load_work work);

/* With migrate=published: what a blocker does between two checks for the end of the stretch */
void ic_load_multiply(void);

#endif
