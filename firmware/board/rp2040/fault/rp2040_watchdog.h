/* The watchdog. It is always on. No task feeds it, but both cores must take interrupts and core 0 must count ticks.
 *
 * Core 1's SysTick, which the kernel does not use, counts the tick of 1 µs and interrupts every 2 s. Each of these
 * heartbeats feeds the watchdog if the kernel's tick on core 0 has advanced since the previous heartbeat. So if a core
 * masks its interrupts for ever, or locks up, the chip is reset within WATCHDOG_PERIOD_US + WATCHDOG_BEAT_US. The
 * heartbeat, about 60 cycles every 2 s, is the only interrupt of core 1 that the program does not cause. */
#ifndef RP2040_WATCHDOG_H
#define RP2040_WATCHDOG_H

/* The longest possible period: the counter has 24 bits and counts down two per µs (erratum RP2040-E1). */
#define WATCHDOG_PERIOD_US 8388607U
#define WATCHDOG_PERIOD_MS 8388
#define WATCHDOG_BEAT_US 2000000U

/* The period and the feeding, as the condition `watchdog` */
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
