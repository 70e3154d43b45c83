/* port_samples() for every platform but ESP-IDF: static memory, whose size the board sets */
#include "port.h"

#ifndef IC_SAMPLES_CAPACITY
#error "The board must define IC_SAMPLES_CAPACITY: samples that all series of one measurement hold together"
#endif

static int64_t arena[IC_SAMPLES_CAPACITY] PORT_SHARED(samples);

struct port_samples port_samples(void) { return (struct port_samples){.base = arena, .count = IC_SAMPLES_CAPACITY}; }
