/* The common clock, and each core's own counter: the cycle counter that a core has (esp32_cpu.h), CCOUNT on Xtensa
 * (Xtensa ISA summary, "Timer interrupt option": it counts every cycle of the core's clock).
 *
 * Each core has one of its own. Both count the one clock of the cores (ESP32 TRM 3.2.3, ESP32-S3 TRM 7.2.3: CPU_CLK),
 * but each from when its core was started, and the second core is started later: their difference is a constant, which
 * we have measured on no chip. Taken for a time, it is likely what one paper published as a task switch of 190 ms. So:
 *
 *   port_cycles()   this core's counter as it is, but 64 bits wide: `time=raw-counter` shows the false time
 *   port_clock()    the same less what this core's counter is ahead of core 0's
 *
 * How far ahead that is, is found at each start, by an exchange of some thousand readings between the cores
 * (esp32_count.h), before anything reads the clock. It is known to some cycles only. That is the uncertainty of every
 * time that begins on one core and ends on another; the condition `clock.uncertainty` carries it to the desk. A time on
 * one core has none. There is no drift, as long as the clock of the cores stays as it is: no frequency scaling and no
 * light sleep, which frequency.c sees to.
 *
 * - Width: the counter wraps after 2^32 cycles, 17.9 s at 240 MHz, 10.7 s at 400 MHz. Each core's tick notes its
 *   count of 64 bits, and a reading is the note and what has been counted since. A wrap would be missed only if a
 *   core's tick stayed away for as long, and then a watchdog comes first.
 * - Moment: that in which the counter is read, right after interrupts were masked.
 * - Interrupts are masked (on Xtensa up to level 3, where everything of the kernel and of ours is) while the core,
 *   its counter and its note are read: a task that is not pinned cannot change cores between them, and the tick
 *   cannot change the note.
 * - Code and data are in internal memory: a reading never waits for flash.
 * - Steps back: never on one core. A task that moves from core to core would have to do it within the uncertainty to
 *   see one; it takes a hundred times that.
 * - An Xtensa core that sleeps (WAITI) counts on: the kernel's tick wakes it by the same counter. A RISC-V core may
 *   stop its counter while it sleeps (WFI), so frequency.c keeps its idle task from that. A debugger that halts one
 *   core stops its counter, and the clock is wrong from then on. */
#ifndef ESP32_CLOCK_H
#define ESP32_CLOCK_H

#include <stdint.h>

/* Starts the clock: from any task, before anything reads it; after esp32_clock_stop() anew, from another beginning.
 * Takes some 25 ms (on an emulator up to 2 s), and makes two tasks of the highest priority meanwhile. NULL; or in a
 * sentence why it does not run, and then it may be tried again: the tasks or the tick's hooks cannot be had, or the
 * exchanges contradict each other, which means that the cores' counters do not run from one clock. */
const char *esp32_clock_start(void);

/* Gives the tick's hooks back. Nothing reads the clock any more. */
void esp32_clock_stop(void);

/* How far the clocks of two cores can be apart, in ticks of the common clock. */
uint32_t esp32_clock_uncertainty(void);

/* By how much core 1's counter is ahead of core 0's, in cycles. */
int64_t esp32_clock_ahead(void);

/* By how many parts per million the clock was faster than esp_timer at start, to some 100: the latter has whole
 * microseconds, and the look at it took 20 ms. */
int32_t esp32_clock_ppm(void);

/* The common clock when this core's counter reads `counter`: what it has read or will read within half its range, 8.9 s
 * at 240 MHz, of now. For code that cannot move to another core. */
uint64_t esp32_clock_of_counter(uint32_t counter);

/* What this core's counter reads when the common clock reads `when`: its low 32 bits. For code that cannot move. */
uint32_t esp32_clock_to_counter(uint64_t when);

#endif
