/* The mark pin (port_mark()), which is high during a measurement: GP2, pin 4 of the Pico's header, next to the ground
 * at pin 3 */
#ifndef RP2_MARK_H
#define RP2_MARK_H

#define MARK_TEXT "GP2 (header pin 4)"

/* Makes the pin an output, at first low. Call it after rp2_console_start(), which resets the pins. */
void rp2_mark_start(void);

#endif
