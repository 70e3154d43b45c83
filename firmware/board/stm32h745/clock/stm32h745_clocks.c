#include "stm32h745_clocks.h"

#include <stddef.h>

#include "stm32h745_registers.h"

_Static_assert(CLOCK_PLAN_IS_LEGAL(IC_M7_MHZ, IC_M4_MHZ, IC_VOS, IC_SUPPLY),
               "these clocks cannot be had at this voltage and supply: stm32h745_clock_plan.h");

/* Rate of HSI, from which the chip runs after a reset. The APB buses then run at the same rate (RM 9.5.2). */
#define HSI_HZ 64000000U
/* Number of times that a flag is polled before start-up gives up: more than a second at 64 MHz. The slowest flag,
 * HSERDY, takes a few milliseconds (DS "HSE oscillator characteristics"). */
#define LOOKS 20000000U

/* Numbers of the chip revisions V and X (RM 63.5.8). The older revision Y, whose number is lower, permits at most 400
 * MHz, and has an erratum of the AXI SRAM. */
#define REVISION_V 0x2003U
#define REVISION_X 0x2001U

static uint32_t apb_hz = HSI_HZ;

uint32_t stm32h745_clocks_apb_hz(void) { return apb_hz; }

static bool comes(volatile const uint32_t *status, uint32_t mask, uint32_t value) {
    for (uint32_t looks = 0; looks < LOOKS; looks++) {
        if ((*status & mask) == value) {
            return true;
        }
    }
    return false;
}

/* Sets the core voltage. For VOS0, first sets VOS1, and then switches the boost on (RM 7.6.2). */
static bool set_voltage(const struct stm32h745_clock_plan *plan) {
    PWR_D3CR = (PWR_D3CR & ~PWR_D3CR_VOS_MASK) | plan->vos_field << PWR_D3CR_VOS_SHIFT;
    if (!comes(&PWR_D3CR, PWR_D3CR_VOSRDY, PWR_D3CR_VOSRDY)) {
        return false;
    }
    if (plan->vos == 0) {
        RCC_APB4ENR |= RCC_APB4ENR_SYSCFGEN;
        (void)RCC_APB4ENR;
        SYSCFG_PWRCR |= SYSCFG_PWRCR_ODEN;
        (void)SYSCFG_PWRCR;
    }
    return comes(&PWR_D3CR, PWR_D3CR_VOSRDY, PWR_D3CR_VOSRDY);
}

/* Sets PLL1 (RM 9.5.5, "PLL initialization phase"). The unused outputs Q and R keep 0 in their divider fields and
 * enable bits. */
static void set_pll(const struct stm32h745_clock_plan *plan) {
    RCC_PLLCKSELR = RCC_PLLCKSELR_PLLSRC_HSE | plan->divm1 << RCC_PLLCKSELR_DIVM1_SHIFT;
    RCC_PLLCFGR = plan->pll1rge << RCC_PLLCFGR_PLL1RGE_SHIFT | RCC_PLLCFGR_DIVP1EN;
    RCC_PLL1DIVR = (plan->divn1 - 1U) << RCC_PLL1DIVR_DIVN1_SHIFT | (plan->divp1 - 1U) << RCC_PLL1DIVR_DIVP1_SHIFT;
    RCC_CR |= RCC_CR_PLL1ON;
}

static void set_dividers(const struct stm32h745_clock_plan *plan) {
    RCC_D1CFGR = plan->hpre << RCC_D1CFGR_HPRE_SHIFT | plan->ppre << RCC_D1CFGR_D1PPRE_SHIFT;
    RCC_D2CFGR = plan->ppre << RCC_D2CFGR_D2PPRE1_SHIFT | plan->ppre << RCC_D2CFGR_D2PPRE2_SHIFT;
    RCC_D3CFGR = plan->ppre << RCC_D3CFGR_D3PPRE_SHIFT;
    (void)RCC_D1CFGR;
}

/* Sets the wait states of the flash, as the last step: the flash starts with 7, more than any clock needs (RM
 * 4.3.8). */
static bool set_flash(const struct stm32h745_clock_plan *plan) {
    uint32_t acr = plan->latency << FLASH_ACR_LATENCY_SHIFT | plan->wrhighfreq << FLASH_ACR_WRHIGHFREQ_SHIFT;
    FLASH_ACR = acr;
    return comes(&FLASH_ACR, acr, acr);
}

const char *stm32h745_clocks_start(void) {
    struct stm32h745_clock_plan plan;
    uint32_t revision = DBGMCU_IDC >> DBGMCU_IDC_REV_SHIFT;
    if (stm32h745_clock_plan(IC_M7_MHZ, IC_M4_MHZ, IC_VOS, IC_SUPPLY, &plan) != CLOCK_PLAN_OK) {
        return "the plan"; /* does not happen: the assertion above ensures that the plan is valid */
    }
    if ((PWR_CR3 & CLOCK_PLAN_CR3_MASK) != CLOCK_PLAN_CR3(IC_SUPPLY)) {
        return "another supply has been configured before: take the power away and give it back";
    }
    if (revision < REVISION_X) {
        AXI_TARG7_FN_MOD = 1; /* ES0445: without this, reads of the AXI SRAM may be wrong */
    }
    if (plan.vos == 0 && revision != REVISION_V && revision < REVISION_V) {
        return "this revision of the chip has no 480 MHz";
    }
    if (!set_voltage(&plan)) {
        return "the voltage";
    }
    RCC_CR |= RCC_CR_HSEBYP;
    RCC_CR |= RCC_CR_HSEON;
    if (!comes(&RCC_CR, RCC_CR_HSERDY, RCC_CR_HSERDY)) {
        return "the 8 MHz from the ST-LINK (HSE)";
    }
    set_pll(&plan);
    if (!comes(&RCC_CR, RCC_CR_PLL1RDY, RCC_CR_PLL1RDY)) {
        return "PLL1";
    }
    set_dividers(&plan);
    apb_hz = HSI_HZ >> 1U;
    RCC_CFGR = RCC_CFGR_SW_PLL1;
    if (!comes(&RCC_CFGR, RCC_CFGR_SW_MASK << RCC_CFGR_SWS_SHIFT, RCC_CFGR_SW_PLL1 << RCC_CFGR_SWS_SHIFT)) {
        return "the switch to PLL1";
    }
    apb_hz = plan.apb_hz;
    return set_flash(&plan) ? NULL : "the flash's wait states";
}
