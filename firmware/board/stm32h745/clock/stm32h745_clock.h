/* The common clock: 64 bits of the buses' clock (60 to 240 MHz), the same for both cores.
 *
 * Three timers of D2 count it, all from the one clock rcc_timx_ker_ck, which is that of the buses (RM table 59):
 *
 *   TIM5, 32 bits   every cycle; set half its range ahead
 *   TIM3, 16 bits   overflows each 2^24 cycles (prescaler 65536, period 256)
 *   TIM2, 32 bits   those overflows, which trigger it (external clock mode 1, RM 41.3)
 *
 * Each core reads TIM2, then TIM5, and corrects (stm32h745_clock_extend.h). There is no lock, no interrupt and no
 * variable, so none can be missed, and either core may read at any time; it never steps back, on one core or from one
 * to the other, if less than CLOCK_EXTEND_MARGIN cycles (8 s at 240 MHz) pass between a core's two reads. Interrupts
 * are masked there, so it is about ten cycles. Core 0 initialises the timers, before core 1 runs.
 *
 * - Resolution: 1 cycle of the buses; 4.2 ns at 240 MHz.
 * - Moment: when TIM5 is read.
 * - Offset: the clock starts from 2^31, constant from start to reset, and the same on both cores.
 * - Cost: two reads of APB1, over AXI and a bridge from the Cortex-M7, about ten instructions; not known in cycles,
 *   since it has not run on a board. `clock` measures it as the timestamp overhead.
 * - Wraps after 2^56 cycles: 9 years at 240 MHz.
 * - A debugger that halts a core does not stop it. */
#ifndef STM32H745_CLOCK_H
#define STM32H745_CLOCK_H

/* Enables the timers for this core: each core enables the peripherals that it uses (RM 9.5.9). On core 1, once the
 * timers run. */
void stm32h745_clock_use(void);

/* Starts the timers, on core 0; panics if TIM3's overflows do not reach TIM2. */
void stm32h745_clock_start(void);

#endif
