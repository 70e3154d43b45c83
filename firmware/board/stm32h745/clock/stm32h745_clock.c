#include "stm32h745_clock.h"

#include "port_freertos.h"
#include "stm32h745_clock_extend.h"
#include "stm32h745_clocks.h"
#include "stm32h745_registers.h"

#define TIM3_PRESCALER 65536U
#define TIM3_PERIOD 256U
_Static_assert(TIM3_PRESCALER *TIM3_PERIOD == 1U << CLOCK_EXTEND_COARSE_LOG2, "TIM2 counts these");

/* TIM3 starts this many counts before its first overflow, so that start-up need not wait long to check that TIM2 counts
 * the overflows. */
#define TIM3_FIRST 2U

static void stop(uint32_t timer, uint32_t prescaler, uint32_t period_less_1) {
    TIM_CR1(timer) = TIM_CR1_URS;
    TIM_CR2(timer) = 0;
    TIM_SMCR(timer) = 0;
    TIM_DIER(timer) = 0;
    TIM_PSC(timer) = prescaler - 1U;
    TIM_ARR(timer) = period_less_1;
    TIM_EGR(timer) = TIM_EGR_UG; /* latches the prescaler */
    TIM_SR(timer) = 0;
}

void stm32h745_clock_use(void) {
    RCC_APB1LENR |= RCC_APB1LENR_TIM2EN | RCC_APB1LENR_TIM3EN | RCC_APB1LENR_TIM5EN;
    (void)RCC_APB1LENR;
}

void stm32h745_clock_start(void) {
    stm32h745_clock_use();
    stop(TIM2, 1, UINT32_MAX);
    stop(TIM3, TIM3_PRESCALER, TIM3_PERIOD - 1U);
    stop(TIM5, 1, UINT32_MAX);
    TIM_CR2(TIM3) = TIM_CR2_MMS_UPDATE;
    TIM_SMCR(TIM2) = TIM_SMCR_TS_ITR2 | TIM_SMCR_SMS_EXTERNAL_1; /* ITR2 of TIM2 is TIM3 */
    TIM_CNT(TIM2) = 0;
    TIM_CNT(TIM3) = TIM3_PERIOD - TIM3_FIRST;
    TIM_CNT(TIM5) = CLOCK_EXTEND_AHEAD;
    TIM_CR1(TIM2) |= TIM_CR1_CEN;
    TIM_CR1(TIM3) |= TIM_CR1_CEN;
    TIM_CR1(TIM5) |= TIM_CR1_CEN;
    while (TIM_CNT(TIM5) - CLOCK_EXTEND_AHEAD <= (TIM3_FIRST + 1U) * TIM3_PRESCALER) {
    }
    if (TIM_CNT(TIM2) != 1U) {
        board_panic("the common clock does not run: TIM2 should have counted one overflow of TIM3", "", TIM_CNT(TIM2));
    }
}

uint64_t port_clock(void) {
    uint32_t mask;
    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    uint32_t coarse = TIM_CNT(TIM2);
    uint32_t fine = TIM_CNT(TIM5);
    __asm volatile("msr primask, %0" ::"r"(mask) : "memory");
    return stm32h745_clock_extend(coarse, fine);
}

uint64_t port_clock_hz(void) { return CLOCKS_BUS_HZ; }

const char *port_clock_name(void) { return "TIM5 and TIM2, at the buses' clock"; }
