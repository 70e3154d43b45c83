/* The watchdog. It is on in every run: it does not need processor time for a task, only that both cores take interrupts
 * and core 0 counts ticks.
 *
 * Core 1's SysTick, which the kernel does not use, interrupts every 2 s (it counts the 1 µs tick). Each of these
 * heartbeats feeds the watchdog if the kernel's tick on core 0 has advanced since the last. So a core that has masked
 * its interrupts for good, or is locked up, causes a reset within WATCHDOG_PERIOD_US + WATCHDOG_BEAT_US. The heartbeat
 * is core 1's only interrupt without a cause in the program: about 60 cycles each 2 s. */
#ifndef RP2040_WATCHDOG_H
#define RP2040_WATCHDOG_H

/* The longest: 24 bits, which count down two per µs (erratum RP2040-E1). */
#define WATCHDOG_PERIOD_US 8388607U
#define WATCHDOG_PERIOD_MS 8388
#define WATCHDOG_BEAT_US 2000000U

/* The same, as the condition "watchdog". */
#define WATCHDOG_TEXT "8388 ms; fed by core 1 every 2000 ms if core 0 has counted ticks"

/* Arms the watchdog. */
void rp2040_watchdog_start(void);

/* Feeds it for another WATCHDOG_PERIOD_US. */
void rp2040_watchdog_feed(void);

/* Starts the heartbeat. Call it on core 1. */
void rp2040_watchdog_start_beat(void);

/* Core 1's SysTick handler. */
void rp2040_watchdog_beat(void);

#endif
