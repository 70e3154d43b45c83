/* A stress test of all transports of a platform: streams of messages of random sizes, in both directions and on one
 * core, polling and sleeping, through buffers of random size, with random pauses at both ends, and with contents that
 * resemble the transports' own data. Every byte is checked. */
#ifndef IC_TRANSPORT_STRESS_H
#define IC_TRANSPORT_STRESS_H

#include <stdint.h>

/* Runs each transport `rounds` times in each mode. With `hold`, which masks interrupts of the calling core for some
 * ticks of the common clock, each end calls it now and then; at the same time a timer interrupts the sender's core 5000
 * to 20000 times a second, at any point, and makes the kernel wake a task on the other core, which wakes one back: all
 * of them must wake in time. Call it from the console task. Returns NULL, or a description of the first failure. */
const char *transport_stress_run(uint32_t rounds, void (*hold)(uint64_t ticks));

#endif
