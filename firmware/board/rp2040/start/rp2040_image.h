/* Location of the image: in SRAM (image_sram.c) or in flash (image_flash.c), chosen at build time (IC_CODE) */
#ifndef RP2040_IMAGE_H
#define RP2040_IMAGE_H

#include "port.h"

/* Initialises the variables. Call it at each start, before any is used, on a stack that is not among them. */
void rp2040_image_start_data(void);

/* Makes the boot ROM restart the image after a watchdog reset. Call it at each start: the ROM clears it. */
void rp2040_image_start_again_after_watchdog(void);

/* Cycles by which an interrupt may be delayed if its code, or code that masks it, comes from here: a rough upper bound,
 * for some hundred instructions without cache hits. Below 1000 in SRAM. */
uint32_t rp2040_image_delay_cycles(void);

/* Reads the conditions that are in the chip. */
void rp2040_image_conditions_start(void);

/* Conditions of the location of code and constants, and of the access to them; like port_condition() */
bool rp2040_image_condition(uint32_t index, struct port_condition *condition);

/* The region in flash; false if none is mapped. */
bool rp2040_image_region(struct port_region *region);

/* Copies words up to `end`, without memcpy(), which would need a valid stack and variables. */
static inline void rp2040_image_copy(uint32_t *to, const uint32_t *from, const uint32_t *end) {
    while (from < end) {
        *(volatile uint32_t *)to++ = *from++; /* volatile: must not become a call of memcpy */
    }
}

#endif
