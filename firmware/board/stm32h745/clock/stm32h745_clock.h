/* The common clock: a 64-bit count of cycles of the buses' clock (60 to 240 MHz), the same for both cores.
 *
 * Three timers of the D2 domain make it. All count rcc_timx_ker_ck, which has the rate of the buses' clock (RM table
 * 59):
 *
 *   TIM5, 32 bits   counts every cycle; set half its range ahead
 *   TIM3, 16 bits   overflows every 2^24 cycles (prescaler 65536, period 256)
 *   TIM2, 32 bits   counts these overflows, which trigger it (external clock mode 1, RM 41.3)
 *
 * To read the clock, a core reads TIM2, then TIM5, and combines the two (stm32h745_clock_extend.h). There is no lock
 * and no variable, and no interrupt that could be missed; either core may read at any time. The clock never steps back,
 * neither on one core nor from one core to the other, if fewer than CLOCK_EXTEND_MARGIN cycles (8 s at 240 MHz) pass
 * between the reads of TIM2 and TIM5. Interrupts are masked between these reads, so only about ten cycles pass. Core 0
 * initialises the timers before core 1 runs.
 *
 * - Resolution: 1 cycle of the buses; 4.2 ns at 240 MHz.
 * - Moment of a reading: when TIM5 is read.
 * - Offset: the clock starts at 2^31. The offset is constant from start to reset, and the same on both cores.
 * - Cost: two reads of APB1, which the Cortex-M7 reaches over AXI and a bridge, and about ten instructions. The cost in
 *   cycles is not known, because this code has not run on a board. The benchmark `clock` measures it as the timestamp
 *   overhead.
 * - Wraps after 2^56 cycles: 9 years at 240 MHz.
 * - A debugger that halts a core does not stop the clock. */
#ifndef STM32H745_CLOCK_H
#define STM32H745_CLOCK_H

/* Enables the calling core's access to the timers: each core must itself enable the peripherals that it uses (RM
 * 9.5.9). Core 1 calls it after core 0 has started the timers. */
void stm32h745_clock_use(void);

/* Starts the timers. Call it on core 0. Panics if TIM3's overflows do not reach TIM2. */
void stm32h745_clock_start(void);

#endif
