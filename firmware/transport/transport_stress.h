/* A stress test of all transports of a platform: streams of messages of random sizes, in both directions and on one
 * core, polling and sleeping, through buffers of random size, with random pauses at both ends, and with contents that
 * resemble the transports' own data. Every byte is checked. */
#ifndef IC_TRANSPORT_STRESS_H
#define IC_TRANSPORT_STRESS_H

#include <stdint.h>

/* Runs each transport `rounds` times for each pair of cores, polling and sleeping. `hold` may be NULL; otherwise it
 * masks the interrupts of the calling core for the given ticks of the common clock, and each end calls it now and then.
 * Meanwhile a timer interrupts the sender's core 5000 to 20000 times a second, at any point of the code; its handler
 * wakes a task on the receiver's core, which wakes a second task, on the sender's core. The second task must run within
 * 1 ms of the timer's due time. Call this function from the console task. Returns NULL, or a description of the first
 * failure. */
const char *transport_stress_run(uint32_t rounds, void (*hold)(uint64_t ticks));

#endif
