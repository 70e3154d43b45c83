/* What this board measures with: the clock, the tick's edges, memory regions and the energy mark, and the conditions
 * that say what they are, with those of timer, doorbell, spinlock and atomics. */
#ifndef ESP32_INSTRUMENTS_H
#define ESP32_INSTRUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct port_condition;

/* Starts them: at each start, by the console task, on core 0, before anything else of port.h but memory. Takes some 50
 * ms. NULL; or in a sentence why the clock cannot be had (esp32_clock.h), and then it may be tried again. */
const char *esp32_instruments_start(void);

/* Gives back what they took of the kernel. Nothing measures any more. */
void esp32_instruments_stop(void);

/* Their conditions, as port_condition(): the keys clock.*, interrupt.*, memory.regions, memory.word_bytes, spinlock,
 * atomic and mark. */
bool esp32_instruments_condition(uint32_t index, struct port_condition *condition);

#endif
