/* The watchdog, which is always on. It is fed by an interrupt and not by a task, and only while both cores take
 * interrupts and core 0 counts kernel ticks.
 *
 * Core 1's SysTick, which the kernel does not use, counts the tick of 1 µs and interrupts every 2 s. Each of these
 * heartbeats feeds the watchdog if the kernel's tick on core 0 has advanced since the previous heartbeat. So if a core
 * masks its interrupts for ever, or locks up, the chip is reset within WATCHDOG_PERIOD_US + WATCHDOG_BEAT_US. The
 * heartbeat, about 60 cycles every 2 s, is the only interrupt of core 1 that neither a benchmark nor the kernel
 * causes. */
#ifndef RP2040_WATCHDOG_H
#define RP2040_WATCHDOG_H

/* The watchdog's period, the longest possible: its counter has 24 bits and counts down by two per µs (erratum
 * RP2040-E1). */
#define WATCHDOG_PERIOD_US 8388607U
#define WATCHDOG_PERIOD_MS 8388
#define WATCHDOG_BEAT_US 2000000U

/* The text of the condition `watchdog`, which is stored with each run */
#define WATCHDOG_TEXT "8388 ms; fed by core 1 every 2000 ms if core 0 has counted ticks"

/* Arms the watchdog. */
void rp2040_watchdog_start(void);

/* Feeds the watchdog for another WATCHDOG_PERIOD_US. */
void rp2040_watchdog_feed(void);

/* Starts the heartbeat. Call it on core 1. */
void rp2040_watchdog_start_beat(void);

/* Core 1's SysTick handler. */
void rp2040_watchdog_beat(void);

#endif
