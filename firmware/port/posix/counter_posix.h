/* The processor's counter and its rate, which not every machine reports: it is measured at start. */
#ifndef COUNTER_POSIX_H
#define COUNTER_POSIX_H

#include <stdint.h>

/* Measures the rate of the counter against the common clock, for about 5 ms; once, before port_cycles_hz() is
 * called. */
void counter_posix_start(void);

/* Bound of the error of port_cycles_hz() in parts per million, at least 1, from the readings of the clock around those
 * of the counter */
uint32_t counter_posix_uncertainty_ppm(void);

/* The counter that port_cycles() reads */
const char *counter_posix_name(void);

#endif
