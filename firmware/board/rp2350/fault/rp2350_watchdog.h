/* The watchdog, which is always on. It is fed by an interrupt and not by a task, and only while both cores take
 * interrupts and core 0 counts kernel ticks.
 *
 * Core 1's timer interrupt (MTIMECMP), which the kernel does not use, comes every 2 s. Each of these heartbeats feeds
 * the watchdog if the kernel's tick on core 0 has advanced since the previous heartbeat. So if a core masks its
 * interrupts for ever, the chip is reset within WATCHDOG_PERIOD_US + WATCHDOG_BEAT_US. The heartbeat is the only
 * interrupt of core 1 that neither a benchmark nor the kernel causes. */
#ifndef RP2350_WATCHDOG_H
#define RP2350_WATCHDOG_H

/* The watchdog's period, the same as on the RP2040; it counts down by one per µs. */
#define WATCHDOG_PERIOD_US 8388607U
#define WATCHDOG_BEAT_US 2000000U

/* The text of the condition `watchdog`, which is stored with each run */
#define WATCHDOG_TEXT "8388 ms; fed by core 1 every 2000 ms if core 0 has counted ticks"

/* Arms the watchdog. */
void rp2350_watchdog_start(void);

/* Starts the heartbeat. Call it on core 1. */
void rp2350_watchdog_start_beat(void);

#endif
