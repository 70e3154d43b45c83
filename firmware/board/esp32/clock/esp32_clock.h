/* The common clock, and each core's own counter: the core's cycle counter (esp32_cpu.h), CCOUNT on Xtensa (Xtensa ISA
 * summary, "Timer interrupt option": it counts every cycle of the core's clock).
 *
 * Each core has its own. Both count the cores' one clock (ESP32 TRM 3.2.3, ESP32-S3 TRM 7.2.3: CPU_CLK), but each from
 * the start of its core, and the second core starts later: their offset is a constant, not measured on any chip so far.
 * Mistaken for a time, it is likely the published task switch of 190 ms. So:
 *
 *   port_cycles()   this core's counter, extended to 64 bits: `time=raw-counter` shows the wrong time
 *   port_clock()    the same less the lead of this core's counter over core 0's
 *
 * That lead is determined at each start, by some thousand exchanged readings of both cores (esp32_count.h), before
 * anything reads the clock. It is known to some cycles only, which is the uncertainty of every time from one core to
 * another; the condition `clock.uncertainty` states it. A time on one core has none. There is no drift while the cores'
 * clock does not change: no frequency scaling and no light sleep, which frequency.c ensures.
 *
 * - Width: the counter wraps after 2^32 cycles, 17.9 s at 240 MHz, 10.7 s at 400 MHz. Each core's tick notes its count
 *   of 64 bits, and a reading adds the counts since then. A wrap is missed only if a core's tick fails for as long; a
 *   watchdog acts before.
 * - Moment: when the counter is read, right after interrupts were masked.
 * - Interrupts are masked (on Xtensa up to level 3, which includes the kernel and Intercore) while the core, its
 *   counter and its note are read: an unpinned task cannot migrate between them, and the tick cannot change the note.
 * - Code and data are in internal memory: a reading never waits for flash.
 * - Steps back: never on one core. A task would have to migrate within the uncertainty to see one; a migration takes a
 *   hundred times that.
 * - An Xtensa core that sleeps (WAITI) continues to count: the kernel's tick wakes it by the same counter. A RISC-V
 *   core may stop its counter while it sleeps (WFI), so frequency.c prevents its idle task from sleeping. A debugger
 *   that halts one core stops its counter, and the clock is wrong from then on. */
#ifndef ESP32_CLOCK_H
#define ESP32_CLOCK_H

#include <stdint.h>

/* Starts the clock: from any task, before anything reads it; again after esp32_clock_stop(), with another origin. Takes
 * about 25 ms (on an emulator up to 2 s), with two temporary tasks of the highest priority. Returns NULL, or a sentence
 * with the reason of a failure, after which it may be retried: the tasks or the tick's hooks are not available, or the
 * exchanges contradict each other, which means that the cores' counters do not run from one clock. */
const char *esp32_clock_start(void);

/* Releases the tick's hooks. Nothing may read the clock any more. */
void esp32_clock_stop(void);

/* Uncertainty of the offset between the clocks of two cores, in ticks of the common clock */
uint32_t esp32_clock_uncertainty(void);

/* Lead of core 1's counter over core 0's, in cycles */
int64_t esp32_clock_ahead(void);

/* Difference of the clock's rate from esp_timer's at start, in parts per million, to about 100: esp_timer has whole
 * microseconds, and the comparison took 20 ms */
int32_t esp32_clock_ppm(void);

/* The common clock when this core's counter reads `counter`, a reading within half its range of now: 8.9 s at 240 MHz.
 * For code that cannot migrate. */
uint64_t esp32_clock_of_counter(uint32_t counter);

/* This core's counter when the common clock reads `when`: its low 32 bits. For code that cannot migrate. */
uint32_t esp32_clock_to_counter(uint64_t when);

#endif
