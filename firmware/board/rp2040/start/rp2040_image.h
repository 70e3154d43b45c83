/* Where the image is: in SRAM (image_sram.c) or in flash (image_flash.c), as chosen when it is built (IC_CODE). */
#ifndef RP2040_IMAGE_H
#define RP2040_IMAGE_H

#include "port.h"

/* Gives the initialised variables the values they have at a start. To be called at each, before any is used, on a stack
 * that is none of them. */
void rp2040_image_start_data(void);

/* Has the boot ROM start the image again after a reset by the watchdog. To be called at each start: the ROM forgets. */
void rp2040_image_start_again_after_watchdog(void);

/* Cycles for which an interrupt may be held up where its code, or that which masks it, has to come from here: a rough
 * upper bound, for some hundred instructions, none of them in a cache. Below 1000 in SRAM. */
uint32_t rp2040_image_delay_cycles(void);

/* Reads what there is to read for the conditions. */
void rp2040_image_conditions_start(void);

/* The conditions that tell where code and constants are, and how they are reached: as port_condition(). */
bool rp2040_image_condition(uint32_t index, struct port_condition *condition);

/* The region in flash; false if none is mapped. */
bool rp2040_image_region(struct port_region *region);

/* Copies words up to `end`: not by memcpy(), which would need the stack and the variables to be in order. */
static inline void rp2040_image_copy(uint32_t *to, const uint32_t *from, const uint32_t *end) {
    while (from < end) {
        *(volatile uint32_t *)to++ = *from++; /* volatile: not to be made a call of memcpy */
    }
}

#endif
