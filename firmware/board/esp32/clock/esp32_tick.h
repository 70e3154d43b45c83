/* The phase of the kernel's tick on the common clock: the tick of core 0, which counts time for both.
 *
 * ESP32: the tick is CCOMPARE0 of core 0, which is advanced by a tick's cycles each time, from its old value. It is the
 * time of the next edge, so edges are known exactly, to the cycle.
 *
 * ESP32-S3: the tick is an alarm of SYSTIMER, whenever its counter for the kernel reads a multiple of a tick. It counts
 * 16 MHz of the crystal from which the cores' clock is made, so that an edge has a constant phase on the common clock.
 * Alternating readings of both narrow it down to some cycles (esp32_count.h). */
#ifndef ESP32_TICK_H
#define ESP32_TICK_H

/* Determines the phase. On core 0, in a pinned task, before port_tick_edge(). Returns NULL, or a sentence with the
 * reason of a failure: readings of SYSTIMER and of the clock contradict each other. */
const char *esp32_tick_start(void);

#endif
