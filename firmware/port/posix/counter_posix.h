/* The processor's counter (TSC, CNTVCT_EL0) and its rate. Not every machine reports the rate, so it is measured at
 * start. */
#ifndef COUNTER_POSIX_H
#define COUNTER_POSIX_H

#include <stdint.h>

/* Measures the counter's rate against the common clock, for about 5 ms. Call it once, before port_cycles_hz(). */
void counter_posix_start(void);

/* Largest possible error of port_cycles_hz() in parts per million, at least 1. It follows from how long the readings in
 * counter_posix_start() took. */
uint32_t counter_posix_uncertainty_ppm(void);

/* The counter that port_cycles() reads */
const char *counter_posix_name(void);

#endif
