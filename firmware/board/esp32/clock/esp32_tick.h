/* When the edges of the kernel's tick occur on the common clock. It is the tick of core 0, which counts time for both
 * cores.
 *
 * ESP32: the tick is CCOMPARE0 of core 0. At each tick the kernel adds the cycles of one tick to the register's old
 * value, so the register holds the time of the next edge. Edges are therefore known exactly, to the cycle.
 *
 * ESP32-S3 and ESP32-P4: the tick is an alarm of SYSTIMER, which fires when the kernel's counter in SYSTIMER reads a
 * multiple of the tick period. SYSTIMER counts at 16 MHz, made from the same crystal as the cores' clock, so an edge
 * has a constant phase on the common clock. Alternating readings of SYSTIMER and the clock narrow the phase down to a
 * few cycles (esp32_count.h). */
#ifndef ESP32_TICK_H
#define ESP32_TICK_H

/* Finds out when the edges of the tick occur on the common clock. Call it in a task pinned to core 0, before
 * port_tick_edge(). Returns NULL, or a sentence with the reason for a failure: on the ESP32-S3 and ESP32-P4, the
 * readings of SYSTIMER and of the common clock contradict each other. */
const char *esp32_tick_start(void);

#endif
