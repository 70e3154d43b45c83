/* Possible clocks of the two cores, and their settings. Pure arithmetic without registers, so all of it is tested on
 * the host against the manual's tables (tests/firmware/stm32h745).
 *
 * "RM" is ST's reference manual RM0399 Rev 4, "DS" the datasheet DS12923. The tree (RM 9.5.6, figure 55):
 *
 *   HSE / DIVM1 × DIVN1 / DIVP1 = sys_ck, / D1CPRE = Cortex-M7, / HPRE = bus matrix, flash and Cortex-M4
 *
 * D1CPRE is 1 here. So the Cortex-M4 has the clock of the buses, it is never faster than the Cortex-M7, and their ratio
 * is a power of two. The APB buses run at half of it; the timers' clock is twice that (RM table 59).
 *
 * The core's voltage (VOS3, the lowest, to VOS0) limits both clocks. VOS0 needs the LDO supply: with the step-down
 * converter alone (SMPS), the default of a NUCLEO-H745ZI-Q, it would raise the core's voltage above the absolute
 * maximum of 1.40 V (DS "General operating conditions": no VOS0 in the SMPS part; measured as 1.51 V, Zephyr issue
 * 108941). */
#ifndef STM32H745_CLOCK_PLAN_H
#define STM32H745_CLOCK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* Supply of the core: determined by the board's wiring, and set in PWR_CR3 (RM table 33) */
#define CLOCK_PLAN_SMPS 0
#define CLOCK_PLAN_LDO 1

/* HSE: the ST-LINK's 8 MHz on OSC_IN. */
#define CLOCK_PLAN_HSE_MHZ 8

/* Maximum MHz of the Cortex-M7 and of the buses at a voltage (DS "General operating conditions") */
#define CLOCK_PLAN_CORE_MOST(vos) ((vos) == 0 ? 480 : (vos) == 1 ? 400 : (vos) == 2 ? 300 : 200)
#define CLOCK_PLAN_BUS_MOST(vos) ((vos) == 0 ? 240 : (vos) == 1 ? 200 : (vos) == 2 ? 150 : 100)

/* Levels of the factors. 400 and 200 MHz are the maximum of an unmodified NUCLEO-H745ZI-Q; 400 with 50 MHz has the
 * ratio of 480 and 60 MHz, which seed 003 measured on a board with another supply. */
#define CLOCK_PLAN_M7_LEVEL(mhz) ((mhz) == 480 || (mhz) == 400 || (mhz) == 240 || (mhz) == 120 || (mhz) == 60)
#define CLOCK_PLAN_M4_LEVEL(mhz) ((mhz) == 240 || (mhz) == 200 || (mhz) == 120 || (mhz) == 60 || (mhz) == 50)
#define CLOCK_PLAN_RATIO(m7, m4) ((m7) == (m4) || (m7) == 2 * (m4) || (m7) == 4 * (m4) || (m7) == 8 * (m4))

/* Whether a pair of clocks is possible: for _Static_assert, and the same as stm32h745_clock_plan() */
#define CLOCK_PLAN_IS_LEGAL(m7, m4, vos, supply)                                                                       \
    (CLOCK_PLAN_M7_LEVEL(m7) && CLOCK_PLAN_M4_LEVEL(m4) && CLOCK_PLAN_RATIO(m7, m4) && (vos) <= 3 &&                   \
     (m7) <= CLOCK_PLAN_CORE_MOST(vos) && (m4) <= CLOCK_PLAN_BUS_MOST(vos) &&                                          \
     ((vos) != 0 || (supply) == CLOCK_PLAN_LDO))

enum stm32h745_clock_plan_result {
    CLOCK_PLAN_OK,
    CLOCK_PLAN_NO_LEVEL,      /* not a level of the factors */
    CLOCK_PLAN_NO_RATIO,      /* the Cortex-M4 would be faster, or a fraction that is no power of two */
    CLOCK_PLAN_NO_VOS,        /* no such voltage */
    CLOCK_PLAN_CORE_TOO_FAST, /* too fast for the voltage */
    CLOCK_PLAN_BUS_TOO_FAST,  /* too fast for the voltage */
    CLOCK_PLAN_NEEDS_LDO,     /* VOS0 without the LDO */
};

struct stm32h745_clock_plan {
    uint32_t core_hz; /* Cortex-M7 */
    uint32_t bus_hz;  /* Cortex-M4, AXI, AHB, timers */
    uint32_t apb_hz;
    uint32_t vco_hz;
    /* Dividers and factors are numbers; register fields are as written. */
    uint32_t divm1;
    uint32_t divn1;
    uint32_t divp1;
    uint32_t pll1rge;    /* RCC_PLLCFGR */
    uint32_t hpre;       /* RCC_D1CFGR */
    uint32_t ppre;       /* D1PPRE, D2PPRE1, D2PPRE2, D3PPRE */
    uint32_t vos;        /* 0 to 3: the scale, not the field */
    uint32_t vos_field;  /* PWR_D3CR; VOS0 is VOS1 with the boost of SYSCFG_PWRCR */
    uint32_t latency;    /* FLASH_ACR */
    uint32_t wrhighfreq; /* FLASH_ACR */
};

/* Plans clocks in MHz at a voltage, 0 to 3. The plan is complete if the result is CLOCK_PLAN_OK. */
enum stm32h745_clock_plan_result stm32h745_clock_plan(uint32_t m7_mhz, uint32_t m4_mhz, uint32_t vos, uint32_t supply,
                                                      struct stm32h745_clock_plan *plan);

/* Wait states and programming delay of the flash (RM table 16) at a bus clock and a voltage. False beyond the table. */
bool stm32h745_clock_plan_flash(uint32_t bus_mhz, uint32_t vos, uint32_t *latency, uint32_t *wrhighfreq);

/* Lower six bits of PWR_CR3 for a supply (RM table 33 and 7.8.4). They can be written once after power-on; a wrong
 * value removes the core's supply until the board is recovered by BOOT0. */
#define CLOCK_PLAN_CR3_MASK 0x3fU
#define CLOCK_PLAN_CR3(supply) ((supply) == CLOCK_PLAN_LDO ? 0x2U : 0x4U)

#endif
