/* The possible clocks of the two cores, and the register values that set them. This code accesses no registers, so all
 * of it is tested on the host against the manual's tables (tests/firmware/stm32h745).
 *
 * "RM" is ST's reference manual RM0399 Rev 4, "DS" the datasheet DS12923. The clock tree (RM 9.5.6, figure 55):
 *
 *   HSE / DIVM1 × DIVN1 / DIVP1 = sys_ck, / D1CPRE = Cortex-M7, / HPRE = bus matrix, flash and Cortex-M4
 *
 * D1CPRE is 1 here. So the Cortex-M4 has the clock of the buses, and the Cortex-M7 is 1, 2, 4 or 8 times as fast. The
 * APB buses have half the clock of the buses, and the timers twice that of the APB buses (RM table 59).
 *
 * The core voltage (VOS3, the lowest, to VOS0) limits both clocks. VOS0 needs the LDO supply. A NUCLEO-H745ZI-Q by
 * default has only the step-down converter (SMPS): with it, VOS0 would raise the core voltage above the absolute
 * maximum of 1.40 V (DS "General operating conditions": no VOS0 in the SMPS part; measured as 1.51 V, Zephyr issue
 * 108941). */
#ifndef STM32H745_CLOCK_PLAN_H
#define STM32H745_CLOCK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* Regulator that supplies the core voltage. The board's wiring determines it, and PWR_CR3 must be set accordingly (RM
 * table 33). */
#define CLOCK_PLAN_SMPS 0
#define CLOCK_PLAN_LDO 1

/* Frequency of HSE: the ST-LINK feeds 8 MHz into OSC_IN. */
#define CLOCK_PLAN_HSE_MHZ 8

/* The highest clock of the Cortex-M7 and of the buses, in MHz, at a voltage scale (DS "General operating
 * conditions") */
#define CLOCK_PLAN_CORE_MOST(vos) ((vos) == 0 ? 480 : (vos) == 1 ? 400 : (vos) == 2 ? 300 : 200)
#define CLOCK_PLAN_BUS_MOST(vos) ((vos) == 0 ? 240 : (vos) == 1 ? 200 : (vos) == 2 ? 150 : 100)

/* The clocks that a build can choose (IC_M7_MHZ and IC_M4_MHZ), in MHz. An unmodified NUCLEO-H745ZI-Q permits at most
 * 400 for the Cortex-M7 and 200 for the Cortex-M4. 400 with 50 has the same ratio as 480 with 60, the clocks of the
 * published measurements "seed 003", whose board had another supply. */
#define CLOCK_PLAN_M7_LEVEL(mhz) ((mhz) == 480 || (mhz) == 400 || (mhz) == 240 || (mhz) == 120 || (mhz) == 60)
#define CLOCK_PLAN_M4_LEVEL(mhz) ((mhz) == 240 || (mhz) == 200 || (mhz) == 120 || (mhz) == 60 || (mhz) == 50)
#define CLOCK_PLAN_RATIO(m7, m4) ((m7) == (m4) || (m7) == 2 * (m4) || (m7) == 4 * (m4) || (m7) == 8 * (m4))

/* Whether a pair of clocks is possible, for use in _Static_assert; stm32h745_clock_plan() gives the same result. */
#define CLOCK_PLAN_IS_LEGAL(m7, m4, vos, supply)                                                                       \
    (CLOCK_PLAN_M7_LEVEL(m7) && CLOCK_PLAN_M4_LEVEL(m4) && CLOCK_PLAN_RATIO(m7, m4) && (vos) <= 3 &&                   \
     (m7) <= CLOCK_PLAN_CORE_MOST(vos) && (m4) <= CLOCK_PLAN_BUS_MOST(vos) &&                                          \
     ((vos) != 0 || (supply) == CLOCK_PLAN_LDO))

enum stm32h745_clock_plan_result {
    CLOCK_PLAN_OK,
    CLOCK_PLAN_NO_LEVEL,      /* not one of the clocks that can be chosen */
    CLOCK_PLAN_NO_RATIO,      /* the Cortex-M4 would be faster than the Cortex-M7, or the ratio is not a power of two */
    CLOCK_PLAN_NO_VOS,        /* there is no such voltage scale */
    CLOCK_PLAN_CORE_TOO_FAST, /* the Cortex-M7 is too fast for the voltage */
    CLOCK_PLAN_BUS_TOO_FAST,  /* the buses are too fast for the voltage */
    CLOCK_PLAN_NEEDS_LDO,     /* VOS0 needs the LDO */
};

struct stm32h745_clock_plan {
    uint32_t core_hz; /* Cortex-M7 */
    uint32_t bus_hz;  /* Cortex-M4, AXI, AHB, timers */
    uint32_t apb_hz;
    uint32_t vco_hz;
    uint32_t divm1; /* divides by this number; the register field holds it as it is */
    uint32_t divn1; /* multiplies by this number; the register field holds one less */
    uint32_t divp1; /* divides by this number; the register field holds one less */
    /* All members below are encodings of register fields, except vos. */
    uint32_t pll1rge;    /* RCC_PLLCFGR */
    uint32_t hpre;       /* RCC_D1CFGR */
    uint32_t ppre;       /* D1PPRE, D2PPRE1, D2PPRE2, D3PPRE */
    uint32_t vos;        /* voltage scale: 0 to 3, as in VOS0 to VOS3; not the field's encoding */
    uint32_t vos_field;  /* PWR_D3CR; for VOS0 the field is that of VOS1, with the boost of SYSCFG_PWRCR */
    uint32_t latency;    /* FLASH_ACR */
    uint32_t wrhighfreq; /* FLASH_ACR */
};

/* Computes the register values for a pair of clocks in MHz at a voltage scale (`vos`, 0 to 3). `plan` is complete if
 * the result is CLOCK_PLAN_OK. */
enum stm32h745_clock_plan_result stm32h745_clock_plan(uint32_t m7_mhz, uint32_t m4_mhz, uint32_t vos, uint32_t supply,
                                                      struct stm32h745_clock_plan *plan);

/* Finds the wait states and the programming delay of the flash at a bus clock and a voltage scale (RM table 16).
 * Returns false if the table has no entry for that clock. */
bool stm32h745_clock_plan_flash(uint32_t bus_mhz, uint32_t vos, uint32_t *latency, uint32_t *wrhighfreq);

/* Lower six bits of PWR_CR3 for a supply (RM table 33 and 7.8.4). They can be written only once after power-on. A wrong
 * value switches the core's supply off; then only a start with BOOT0 high recovers the board. */
#define CLOCK_PLAN_CR3_MASK 0x3fU
#define CLOCK_PLAN_CR3(supply) ((supply) == CLOCK_PLAN_LDO ? 0x2U : 0x4U)

#endif
