/* The functions that depend on where the image is: in SRAM (image_sram.c) or in flash (image_flash.c), as chosen at
 * build time (IC_CODE) */
#ifndef RP2_IMAGE_H
#define RP2_IMAGE_H

#include "port.h"

/* Initialises the variables of the section .data. Call it at each start, before any variable is used. The stack must
 * not be in that section. */
void rp2_image_start_data(void);

/* Makes the boot ROM start the image again after a watchdog reset. Call it at each start, because the ROM clears the
 * request. */
void rp2_image_start_again_after_watchdog(void);

/* Returns a rough upper bound, in cycles, of the delay of an interrupt whose handler runs from this image, or that code
 * of this image has masked: the time of a few hundred instructions without cache hits. It is below 1000 in SRAM. */
uint32_t rp2_image_delay_cycles(void);

/* Reads from the chip those conditions of the image that are not known at build time, such as the flash's clock. */
void rp2_image_conditions_start(void);

/* Reports where code and constants are, and how they are accessed, as conditions; used like port_condition() */
bool rp2_image_condition(uint32_t index, struct port_condition *condition);

/* Sets `region` to the memory region in flash for benchmarks. Returns false if no flash is mapped. */
bool rp2_image_region(struct port_region *region);

/* Copies words until `end`. Does not use memcpy(), which would need a stack and initialised variables. */
static inline void rp2_image_copy(uint32_t *to, const uint32_t *from, const uint32_t *end) {
    while (from < end) {
        *(volatile uint32_t *)to++ = *from++; /* volatile, so that the compiler does not call memcpy */
    }
}

#endif
