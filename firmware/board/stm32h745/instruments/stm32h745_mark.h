/* The mark pin (port_mark()) is high during a measurement. It is PG14, which is D2 of the Arduino connector CN10
 * (UM2408, connectors). */
#ifndef STM32H745_MARK_H
#define STM32H745_MARK_H

#define MARK_TEXT "PG14 (D2 at CN10)"

/* Makes the pin an output, at first low. Call it on each core at its start. */
void stm32h745_mark_start(void);

#endif
