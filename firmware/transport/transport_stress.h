/* A stress run of all transports of a platform: streams of messages of random sizes, in both directions and on one
 * core, polled for and slept for, through buffers of random size, with random pauses at both ends, and with contents
 * that look like whatever a transport may use itself. Every byte is checked. */
#ifndef IC_TRANSPORT_STRESS_H
#define IC_TRANSPORT_STRESS_H

#include <stdbool.h>
#include <stdint.h>

/* `rounds` times each transport with each way to use it. With `disturbed`, a timer meanwhile interrupts the sender's
 * core 5000 to 20000 times a second, wherever it is, and lets the kernel wake a task on the other core, which wakes
 * one back: all of them must be woken in time. To be called from the console task. Returns NULL if all went well,
 * otherwise the first thing that did not. */
const char *transport_stress_run(uint32_t rounds, bool disturbed);

#endif
