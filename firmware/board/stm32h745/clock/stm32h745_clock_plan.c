#include "stm32h745_clock_plan.h"

#define MHZ 1000000U
/* Lower end of the range of the wide VCO (RM 9.5.5, DS "PLL characteristics"). The plan uses the lowest possible VCO
 * frequency that is not below this limit, because it takes the least power. */
#define VCO_LEAST_MHZ 192U
/* Value of RCC_PLLCFGR.PLL1RGE for a reference of 8 to 16 MHz */
#define RGE_8_TO_16_MHZ 3U
/* Value of RCC's PPRE fields that makes an APB clock half of the bus clock */
#define PPRE_HALF 4U
#define SCALES 4U

/* RM table 16: the highest bus clock in MHz for 0, 1, … wait states of the flash, one row for each voltage scale
 * (VOS) */
static const uint16_t flash_most[SCALES][5] = {
    [0] = {70, 140, 210, 225, 240},
    [1] = {70, 140, 210, 225, 225},
    [2] = {55, 110, 165, 225, 225},
    [3] = {45, 90, 135, 180, 225},
};

/* RM table 16: with 2 wait states, the flash's programming delay (WRHIGHFREQ) is 1 up to this bus clock, and 2 above
 * it */
#define DELAY_1_MOST_MHZ 185U

bool stm32h745_clock_plan_flash(uint32_t bus_mhz, uint32_t vos, uint32_t *latency, uint32_t *wrhighfreq) {
    if (vos >= SCALES) {
        return false;
    }
    for (uint32_t states = 0; states < 5U; states++) {
        if (bus_mhz <= flash_most[vos][states]) {
            *latency = states;
            *wrhighfreq = states < 2U ? states : states == 2U && bus_mhz <= DELAY_1_MOST_MHZ ? 1U : 2U;
            return true;
        }
    }
    return false;
}

static enum stm32h745_clock_plan_result judge(uint32_t m7, uint32_t m4, uint32_t vos, uint32_t supply) {
    if (!CLOCK_PLAN_M7_LEVEL(m7) || !CLOCK_PLAN_M4_LEVEL(m4)) {
        return CLOCK_PLAN_NO_LEVEL;
    }
    if (!CLOCK_PLAN_RATIO(m7, m4)) {
        return CLOCK_PLAN_NO_RATIO;
    }
    if (vos >= SCALES) {
        return CLOCK_PLAN_NO_VOS;
    }
    if (m7 > CLOCK_PLAN_CORE_MOST(vos)) {
        return CLOCK_PLAN_CORE_TOO_FAST;
    }
    if (m4 > CLOCK_PLAN_BUS_MOST(vos)) {
        return CLOCK_PLAN_BUS_TOO_FAST;
    }
    return vos == 0 && supply != CLOCK_PLAN_LDO ? CLOCK_PLAN_NEEDS_LDO : CLOCK_PLAN_OK;
}

/* Value of RCC_D1CFGR.HPRE for a divider: binary 0xxx divides by 1, 1000 by 2, 1001 by 4, 1010 by 8. */
static uint32_t hpre_of(uint32_t ratio) {
    uint32_t field = 0;
    for (uint32_t divided = 2; divided <= ratio; divided *= 2U) {
        field = field == 0 ? 8U : field + 1U;
    }
    return field;
}

enum stm32h745_clock_plan_result stm32h745_clock_plan(uint32_t m7_mhz, uint32_t m4_mhz, uint32_t vos, uint32_t supply,
                                                      struct stm32h745_clock_plan *plan) {
    enum stm32h745_clock_plan_result result = judge(m7_mhz, m4_mhz, vos, supply);
    if (result != CLOCK_PLAN_OK) {
        return result;
    }
    /* The divider P of PLL1 must be even (RM 9.5.5: its field, which holds P - 1, must be odd). */
    uint32_t divp1 = 2;
    while (m7_mhz * divp1 < VCO_LEAST_MHZ) {
        divp1 += 2U;
    }
    *plan = (struct stm32h745_clock_plan){
        .core_hz = m7_mhz * MHZ,
        .bus_hz = m4_mhz * MHZ,
        .apb_hz = m4_mhz * MHZ / 2U,
        .vco_hz = m7_mhz * divp1 * MHZ,
        .divm1 = 1,
        .divn1 = m7_mhz * divp1 / CLOCK_PLAN_HSE_MHZ,
        .divp1 = divp1,
        .pll1rge = RGE_8_TO_16_MHZ,
        .hpre = hpre_of(m7_mhz / m4_mhz),
        .ppre = PPRE_HALF,
        .vos = vos,
        .vos_field = vos == 0 ? 3U : SCALES - vos,
    };
    return stm32h745_clock_plan_flash(m4_mhz, vos, &plan->latency, &plan->wrhighfreq) ? CLOCK_PLAN_OK
                                                                                      : CLOCK_PLAN_BUS_TOO_FAST;
}
