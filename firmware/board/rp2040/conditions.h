/* Facts about the chip and this image that its numbers depend on. */
#ifndef RP2040_CONDITIONS_H
#define RP2040_CONDITIONS_H

/* Reads what has to be read from the chip. */
void conditions_start(void);

#endif
