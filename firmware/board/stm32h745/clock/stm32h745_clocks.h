/* Starts the clocks and the voltage that were chosen at build time (stm32h745_clock_plan.h). */
#ifndef STM32H745_CLOCKS_H
#define STM32H745_CLOCKS_H

#include <stdint.h>

#include "stm32h745_clock_plan.h"

/* Rates in Hz, after the clocks have been started. They have no suffix such as U, because they also become text. */
#define CLOCKS_HZ(mhz) CLOCKS_APPEND(mhz, 000000)
#define CLOCKS_APPEND(digits, more) digits##more
#define CLOCKS_M7_HZ CLOCKS_HZ(IC_M7_MHZ)
#define CLOCKS_M4_HZ CLOCKS_HZ(IC_M4_MHZ)
#define CLOCKS_BUS_HZ CLOCKS_M4_HZ
#if IC_CORE == 0
#define CLOCKS_CORE_HZ CLOCKS_M7_HZ
#else
#define CLOCKS_CORE_HZ CLOCKS_M4_HZ
#endif

/* Sets the voltage, HSE, PLL1 and all dividers. Call it on core 0 after a reset. Returns NULL if all is well. Otherwise
 * returns the name of the step that has failed, as a part of a sentence; the chip then still runs from HSI. */
const char *stm32h745_clocks_start(void);

/* Returns the current rate of the APB buses' clock in Hz. */
uint32_t stm32h745_clocks_apb_hz(void);

#endif
