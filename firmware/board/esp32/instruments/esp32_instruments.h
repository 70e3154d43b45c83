/* This board's instruments: the clock, the edges of the tick, the memory regions and the mark pin. It also reports
 * their conditions, and those of the timer, the doorbell, the spinlocks and the atomics. */
#ifndef ESP32_INSTRUMENTS_H
#define ESP32_INSTRUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct port_condition;

/* Starts the instruments. Call it at each intercore_start(), in the console task, on core 0, before any other function
 * of port.h except those for memory. It takes about 50 ms. Returns NULL, or a sentence with the reason why the clock or
 * the time of the tick is not available (esp32_clock.h, esp32_tick.h); then it may be called again. */
const char *esp32_instruments_start(void);

/* Releases the kernel's tick hooks, which the clock uses. No measurement may run. */
void esp32_instruments_stop(void);

/* Reports the conditions (stored properties) of the instruments; used like port_condition(). */
bool esp32_instruments_condition(uint32_t index, struct port_condition *condition);

#endif
