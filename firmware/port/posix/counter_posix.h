/* The processor's own counter and its rate, which nothing tells on every machine: it is measured at start. */
#ifndef COUNTER_POSIX_H
#define COUNTER_POSIX_H

#include <stdint.h>

/* Measures the rate of the counter against the common clock, in some 5 ms; once, before port_cycles_hz() is called. */
void counter_posix_start(void);

/* By how many parts per million the counter can run faster or slower than port_cycles_hz(), at least 1: a bound, by the
 * readings of the clock between which the counter was read. */
uint32_t counter_posix_uncertainty_ppm(void);

/* What port_cycles() reads. */
const char *counter_posix_name(void);

#endif
