/* Between the files of the stand-in. */
#ifndef STANDIN_KERNEL_H
#define STANDIN_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define STANDIN_TICK_CYCLES 240000U

void standin_check(bool right, const char *what);

/* ---- time ---- */

uint64_t standin_cycles(void);
void standin_let_go_by(uint64_t until);

/* ---- interrupts ---- */

/* Asks for the cross-core interrupt on a core. With the kernel locked. */
void standin_interrupt(int core);

/* What may come between does so here: whoever reads a clock, unmasks interrupts or leaves the kernel calls it. */
void standin_take_interrupts(void);

/* Who takes that interrupt, by the table of handlers, and the kernel's own handler in that. */
void standin_call_handler(int core);
void standin_cross_core_isr(void *arg);

/* ---- for objects ---- */

/* From here to there the kernel is locked; all that follows is for there. */
void standin_enter(void);
void standin_leave(void);

/* What the kernel is at: a trace macro, without `trace`, and its task or object. */
void standin_note(const char *macro, uint32_t object);

/* Whether who calls is a task; else it is a thread that is on no core. */
bool standin_is_task(void);

/* Waits until woken for an object; a thread that is no task may come back without that. */
void standin_await(const void *object);

/* Makes ready who has the highest priority of those that wait for an object; who is no task looks again. */
void standin_wake(const void *object);

#endif
