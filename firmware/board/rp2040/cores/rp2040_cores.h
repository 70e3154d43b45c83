/* The vector tables of both cores. */
#ifndef RP2040_CORES_H
#define RP2040_CORES_H

#include "rp2_cores.h"

/* Address of a core's vector table */
uint32_t rp2040_cores_table(uint32_t core);

/* Replaces the handler of a core's SysTick. On core 0, SysTick is the kernel's tick. */
void rp2040_cores_set_systick(uint32_t core, void (*handler)(void));

#endif
