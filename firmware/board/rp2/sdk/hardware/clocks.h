/* The rates of the chip's clocks. */
#ifndef SDK_HARDWARE_CLOCKS_H
#define SDK_HARDWARE_CLOCKS_H

#include "pico.h"

enum clock_index { clk_sys = 5 }; /* its index in the CLOCKS block (RP2040 datasheet 2.15.7) */

/* Returns the rate of a clock in Hz, as rp2_clocks.c has set it. */
uint32_t clock_get_hz(enum clock_index clock);

#endif
