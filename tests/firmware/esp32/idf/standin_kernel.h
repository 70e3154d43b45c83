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

#endif
