/* Where the edges of the kernel's tick lie on the common clock: the tick of core 0, which counts time for both.
 *
 * ESP32: the tick is CCOMPARE0 of core 0, which is set a tick's cycles further each time, from its old value. It says
 * when the next edge is, so edges are known exactly, to the cycle.
 *
 * ESP32-S3: the tick is an alarm of SYSTIMER, each time its counter for the kernel reads a multiple of a tick. It
 * counts 16 MHz of the same crystal from which the cores' clock is made, so that an edge stays where it is on the
 * common clock. Readings of both between each other narrow it down to some cycles (esp32_count.h). */
#ifndef ESP32_TICK_H
#define ESP32_TICK_H

/* Finds the edges. On core 0, by a task that is pinned, before port_tick_edge(). NULL; or in a sentence why it cannot:
 * readings of SYSTIMER and of the clock contradict each other. */
const char *esp32_tick_start(void);

#endif
