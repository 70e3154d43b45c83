/* The common clock (one clock for both cores), and each core's own counter. The counter is the core's cycle counter
 * (esp32_cpu.h), CCOUNT on Xtensa (Xtensa ISA summary, "Timer interrupt option": it counts every cycle of the core's
 * clock).
 *
 * Both cores' counters count the same clock (ESP32 TRM 3.2.3, ESP32-S3 TRM 7.2.3: CPU_CLK). Each counts from the start
 * of its core, and the second core starts later, so the two differ by a constant offset, which has not been measured on
 * any chip so far. A program that subtracts one counter from the other takes the offset for a time: that is likely how
 * a task switch of 190 ms was published. Therefore there are two functions:
 *
 *   port_cycles()   this core's counter, extended to 64 bits; `time=raw-counter` shows the wrong times that it gives
 *   port_clock()    port_cycles() minus the lead of this core's counter over core 0's
 *
 * The lead is determined at each start, from 2048 or more exchanged readings of both cores (esp32_count.h), before
 * anything reads the clock. It is known only to a few cycles. This uncertainty applies to every time between two cores,
 * and the condition `clock.uncertainty` states it. A time on one core is exact. The clocks do not drift apart while the
 * cores' clock does not change: frequency.c prevents frequency scaling and light sleep.
 *
 * - Width: the counter wraps after 2^32 cycles, which is 17.9 s at 240 MHz and 10.7 s at 400 MHz. Each core's tick
 *   saves the 64-bit count of its core, and a reading adds the cycles since then. A wrap is missed only if a core has
 *   no tick for that long; a watchdog acts earlier.
 * - Moment of a reading: when the counter is read, right after interrupts were masked.
 * - Interrupts are masked (on Xtensa up to level 3, which includes the kernel and Intercore) while the core's number,
 *   its counter and its saved count are read. So an unpinned task cannot migrate between these reads, and the tick
 *   cannot change the saved count.
 * - Code and data are in internal memory: a reading never waits for flash.
 * - Steps back: never on one core. To see a step back, a task would have to migrate within the uncertainty, a few
 *   cycles; a migration takes a hundred times longer.
 * - Sleeping cores: an Xtensa core that sleeps (WAITI) continues to count, since the counter also makes the tick that
 *   wakes it. A RISC-V core may stop its counter while it sleeps (WFI), so frequency.c prevents its idle task from
 *   sleeping.
 * - A debugger that halts one core stops that core's counter, and the clock is wrong from then on. */
#ifndef ESP32_CLOCK_H
#define ESP32_CLOCK_H

#include <stdint.h>

/* Starts the clock. Call it in a task before anything reads the clock, and again after esp32_clock_stop(); the clock
 * then has another origin. It takes about 25 ms (on an emulator up to 2 s), and uses two temporary tasks of the highest
 * priority. Returns NULL, or a sentence with the reason for a failure: the tasks or the tick's hooks are not available,
 * or the exchanges contradict each other, which means that the cores' counters do not count the same clock. After a
 * failure it may be called again. */
const char *esp32_clock_start(void);

/* Unregisters the kernel tick hooks that the clock uses. The clock must not be read afterwards. */
void esp32_clock_stop(void);

/* Uncertainty of the offset between the clocks of two cores, in ticks of the common clock */
uint32_t esp32_clock_uncertainty(void);

/* Lead of core 1's counter over core 0's, in cycles */
int64_t esp32_clock_ahead(void);

/* How much faster the clock was than esp_timer at start, in parts per million. Accurate to about 100 ppm: esp_timer
 * counts whole microseconds, and the comparison took 20 ms. */
int32_t esp32_clock_ppm(void);

/* Converts a value of this core's counter into the reading of the common clock at the same moment, which must be less
 * than half the counter's range from now: 8.9 s at 240 MHz. For code that cannot migrate to the other core. */
uint64_t esp32_clock_of_counter(uint32_t counter);

/* Converts a reading of the common clock into the low 32 bits of this core's counter at the same moment. For code that
 * cannot migrate to the other core. */
uint32_t esp32_clock_to_counter(uint64_t when);

#endif
