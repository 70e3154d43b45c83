/* This board's instruments: the clock, the tick's edges, memory regions and the mark pin, and their conditions, with
 * those of timer, doorbell, spinlock and atomics */
#ifndef ESP32_INSTRUMENTS_H
#define ESP32_INSTRUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct port_condition;

/* Starts them: at each start, in the console task, on core 0, before any other function of port.h except memory. Takes
 * about 50 ms. Returns NULL, or a sentence with the reason why the clock is not available (esp32_clock.h); then it may
 * be retried. */
const char *esp32_instruments_start(void);

/* Releases their resources of the kernel. No measurement may run. */
void esp32_instruments_stop(void);

/* Their conditions, like port_condition(): the keys clock.*, interrupt.*, memory.regions, memory.word_bytes, spinlock,
 * atomic and mark */
bool esp32_instruments_condition(uint32_t index, struct port_condition *condition);

#endif
