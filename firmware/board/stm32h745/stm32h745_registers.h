/* The registers of the STM32H745 that the firmware uses, by their names in the reference manual RM0399 Rev 4 ("RM") and
 * in CMSIS. Registers of the cores have their names in the ARMv7-M Architecture Reference Manual ("ARM"). */
#ifndef STM32H745_REGISTERS_H
#define STM32H745_REGISTERS_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* RM 4.9.1 */
#define FLASH_ACR REGISTER(0x52002000U)
#define FLASH_ACR_LATENCY_SHIFT 0U
#define FLASH_ACR_WRHIGHFREQ_SHIFT 4U
#define FLASH_KEYR2 REGISTER(0x52002104U)
#define FLASH_KEY_1 0x45670123U
#define FLASH_KEY_2 0xcdef89abU
#define FLASH_CR2 REGISTER(0x5200210cU)
#define FLASH_CR_LOCK (1U << 0U)
#define FLASH_CR_PG (1U << 1U)
#define FLASH_CR_SER (1U << 2U)
#define FLASH_CR_PSIZE_64 (3U << 4U)
#define FLASH_CR_START (1U << 7U)
#define FLASH_CR_SNB_SHIFT 8U
#define FLASH_SR2 REGISTER(0x52002110U)
#define FLASH_SR_BSY (1U << 0U)
#define FLASH_SR_WBNE (1U << 1U)
#define FLASH_SR_QW (1U << 2U)
#define FLASH_SR_ERRORS 0x07ee0000U /* WRPERR, PGSERR, STRBERR, INCERR, OPERR, RDPERR, RDSERR, SNECCERR, DBECCERR */
#define FLASH_CCR2 REGISTER(0x52002114U)
#define FLASH_SECTORS 8U /* of a bank */

/* RM 6.4.1 */
#define ART_CTR REGISTER(0x40024400U)
#define ART_CTR_EN (1U << 0U)
#define ART_CTR_PCACHEADDR_SHIFT 8U

/* RM 7.8; entry.S defines more PWR registers. */
#define PWR_CR3 REGISTER(0x5802480cU)
#define PWR_D3CR REGISTER(0x58024818U)
#define PWR_D3CR_VOS_SHIFT 14U
#define PWR_D3CR_VOS_MASK (3U << 14U)
#define PWR_D3CR_VOSRDY (1U << 13U)

/* RM 9.7. At these addresses, each core finds its own bits that enable its access to peripherals (RM 9.7.1). */
#define RCC_CR REGISTER(0x58024400U)
#define RCC_CR_HSEON (1U << 16U)
#define RCC_CR_HSERDY (1U << 17U)
#define RCC_CR_HSEBYP (1U << 18U)
#define RCC_CR_PLL1ON (1U << 24U)
#define RCC_CR_PLL1RDY (1U << 25U)
#define RCC_CFGR REGISTER(0x58024410U)
#define RCC_CFGR_SW_PLL1 3U
#define RCC_CFGR_SW_MASK 7U
#define RCC_CFGR_SWS_SHIFT 3U
#define RCC_D1CFGR REGISTER(0x58024418U)
#define RCC_D1CFGR_HPRE_SHIFT 0U
#define RCC_D1CFGR_D1PPRE_SHIFT 4U
#define RCC_D2CFGR REGISTER(0x5802441cU)
#define RCC_D2CFGR_D2PPRE1_SHIFT 4U
#define RCC_D2CFGR_D2PPRE2_SHIFT 8U
#define RCC_D3CFGR REGISTER(0x58024420U)
#define RCC_D3CFGR_D3PPRE_SHIFT 4U
#define RCC_PLLCKSELR REGISTER(0x58024428U)
#define RCC_PLLCKSELR_PLLSRC_HSE 2U
#define RCC_PLLCKSELR_DIVM1_SHIFT 4U
#define RCC_PLLCFGR REGISTER(0x5802442cU)
#define RCC_PLLCFGR_PLL1RGE_SHIFT 2U
#define RCC_PLLCFGR_DIVP1EN (1U << 16U)
#define RCC_PLL1DIVR REGISTER(0x58024430U)
#define RCC_PLL1DIVR_DIVN1_SHIFT 0U
#define RCC_PLL1DIVR_DIVP1_SHIFT 9U
#define RCC_GCR REGISTER(0x580244a0U)
#define RCC_GCR_BOOT_C2 (1U << 3U)
#define RCC_AHB3ENR REGISTER(0x580244d4U)
#define RCC_AHB3ENR_FLASHEN (1U << 8U)
#define RCC_AHB3ENR_AXISRAMEN (1U << 31U)
#define RCC_AHB1ENR REGISTER(0x580244d8U)
#define RCC_AHB1ENR_ARTEN (1U << 14U)
#define RCC_AHB4ENR REGISTER(0x580244e0U)
#define RCC_AHB4ENR_GPIOBEN (1U << 1U)
#define RCC_AHB4ENR_GPIODEN (1U << 3U)
#define RCC_AHB4ENR_GPIOEEN (1U << 4U)
#define RCC_AHB4ENR_GPIOGEN (1U << 6U)
#define RCC_APB1LENR REGISTER(0x580244e8U)
#define RCC_APB1LENR_TIM2EN (1U << 0U)
#define RCC_APB1LENR_TIM3EN (1U << 1U)
#define RCC_APB1LENR_TIM5EN (1U << 3U)
#define RCC_APB1LENR_USART3EN (1U << 18U)
#define RCC_APB4ENR REGISTER(0x580244f4U)
#define RCC_APB4ENR_SYSCFGEN (1U << 1U)

/* RM 11.4. In the manual's names of these registers, core 0 is C1 and core 1 is C2. */
#define HSEM_R(semaphore) REGISTER(0x58026400U + 4U * (semaphore))
#define HSEM_RLR(semaphore) REGISTER(0x58026480U + 4U * (semaphore))
#define HSEM_CIER(core) REGISTER(0x58026500U + 0x10U * (core))
#define HSEM_CICR(core) REGISTER(0x58026504U + 0x10U * (core))
#define HSEM_CMISR(core) REGISTER(0x5802650cU + 0x10U * (core))

/* RM 12.4 */
#define GPIOB 0x58020400U
#define GPIOD 0x58020c00U
#define GPIOE 0x58021000U
#define GPIOG 0x58021800U
#define GPIO_MODER(port) REGISTER((port) + 0x00U)
#define GPIO_OSPEEDR(port) REGISTER((port) + 0x08U)
#define GPIO_PUPDR(port) REGISTER((port) + 0x0cU)
#define GPIO_ODR(port) REGISTER((port) + 0x14U)
#define GPIO_BSRR(port) REGISTER((port) + 0x18U)
#define GPIO_AFRH(port) REGISTER((port) + 0x24U)
#define GPIO_OUTPUT 1U
#define GPIO_ALTERNATE 2U
#define GPIO_PULL_UP 1U

/* RM 13.3 */
#define SYSCFG_EXTICR4 REGISTER(0x58000414U)
#define SYSCFG_EXTICR_PORT_G 6U
#define SYSCFG_PWRCR REGISTER(0x5800042cU)
#define SYSCFG_PWRCR_ODEN (1U << 0U)

/* RM 21.6. In the manual's names of these registers, core 0 is C1 and core 1 is C2. */
#define EXTI_RTSR1 REGISTER(0x58000000U)
#define EXTI_FTSR1 REGISTER(0x58000004U)
#define EXTI_IMR1(core) REGISTER(0x58000080U + 0x40U * (core))
#define EXTI_PR1(core) REGISTER(0x58000088U + 0x40U * (core))

/* RM 41.4 */
#define TIM2 0x40000000U
#define TIM3 0x40000400U
#define TIM5 0x40000c00U
#define TIM_CR1(timer) REGISTER((timer) + 0x00U)
#define TIM_CR1_CEN (1U << 0U)
#define TIM_CR1_URS (1U << 2U)
#define TIM_CR2(timer) REGISTER((timer) + 0x04U)
#define TIM_CR2_MMS_UPDATE (2U << 4U)
#define TIM_SMCR(timer) REGISTER((timer) + 0x08U)
#define TIM_SMCR_SMS_EXTERNAL_1 7U
#define TIM_SMCR_TS_ITR2 (2U << 4U)
#define TIM_DIER(timer) REGISTER((timer) + 0x0cU)
#define TIM_DIER_CC1IE (1U << 1U)
#define TIM_SR(timer) REGISTER((timer) + 0x10U)
#define TIM_SR_CC1IF (1U << 1U)
#define TIM_EGR(timer) REGISTER((timer) + 0x14U)
#define TIM_EGR_UG (1U << 0U)
#define TIM_CNT(timer) REGISTER((timer) + 0x24U)
#define TIM_PSC(timer) REGISTER((timer) + 0x28U)
#define TIM_ARR(timer) REGISTER((timer) + 0x2cU)
#define TIM_CCR1(timer) REGISTER((timer) + 0x34U)

/* RM 48.4 */
#define IWDG1_KR REGISTER(0x58004800U)
#define IWDG1_PR REGISTER(0x58004804U)
#define IWDG1_RLR REGISTER(0x58004808U)
#define IWDG1_SR REGISTER(0x5800480cU)
#define IWDG_KR_FEED 0xaaaaU
#define IWDG_KR_UNLOCK 0x5555U
#define IWDG_KR_START 0xccccU

/* RM 51.8 */
#define USART3_CR1 REGISTER(0x40004800U)
#define USART3_CR2 REGISTER(0x40004804U)
#define USART3_CR3 REGISTER(0x40004808U)
#define USART3_BRR REGISTER(0x4000480cU)
#define USART3_RTOR REGISTER(0x40004814U)
#define USART3_ISR REGISTER(0x4000481cU)
#define USART3_ICR REGISTER(0x40004820U)
#define USART3_RDR REGISTER(0x40004824U)
#define USART3_TDR REGISTER(0x40004828U)
#define USART_CR1_UE (1U << 0U)
#define USART_CR1_RE (1U << 2U)
#define USART_CR1_TE (1U << 3U)
#define USART_CR1_RTOIE (1U << 26U)
#define USART_CR1_FIFOEN (1U << 29U)
#define USART_CR2_RTOEN (1U << 23U)
#define USART_CR3_TXFTIE (1U << 23U)
#define USART_CR3_RXFTCFG_SHIFT 25U
#define USART_CR3_RXFTIE (1U << 28U)
#define USART_CR3_TXFTCFG_SHIFT 29U
#define USART_ISR_PE (1U << 0U)
#define USART_ISR_FE (1U << 1U)
#define USART_ISR_NE (1U << 2U)
#define USART_ISR_ORE (1U << 3U)
#define USART_ISR_RXFNE (1U << 5U)
#define USART_ISR_TC (1U << 6U)
#define USART_ISR_TXFNF (1U << 7U)
#define USART_ISR_RTOF (1U << 11U)

/* RM 63.5.8 */
#define DBGMCU_IDC REGISTER(0x5c001000U)
#define DBGMCU_IDC_REV_SHIFT 16U
#define DBGMCU_CR REGISTER(0x5c001004U)
#define DBGMCU_CR_DBGSLEEP_D1 (1U << 0U)
#define DBGMCU_CR_DBGSLEEP_D2 (1U << 3U)
#define DBGMCU_CR_D1DBGCKEN (1U << 21U)
#define DBGMCU_APB4FZ1 REGISTER(0x5c001054U)
#define DBGMCU_APB4FZ1_DBG_IWDG1 (1U << 18U)

/* RM 2.1 (AXI interconnect). On chip revision Y this register must be set (ES0445). */
#define AXI_TARG7_FN_MOD REGISTER(0x51008108U)

/* ARM B3.2.2, B3.3, B3.4 */
#define SYST_CVR REGISTER(0xe000e018U)
#define NVIC_ISER(number) REGISTER(0xe000e100U + (number) / 32U * 4U)
#define NVIC_ICER(number) REGISTER(0xe000e180U + (number) / 32U * 4U)
#define NVIC_ICPR(number) REGISTER(0xe000e280U + (number) / 32U * 4U)
#define NVIC_IPR(number) (*(volatile uint8_t *)(0xe000e400U + (number)))
#define SCB_VTOR REGISTER(0xe000ed08U)
#define SCB_AIRCR REGISTER(0xe000ed0cU)
#define SCB_AIRCR_RESET (0x05fa0000U | 1U << 2U)
#define SCB_CCR REGISTER(0xe000ed14U)
#define SCB_CCR_DC (1U << 16U)
#define SCB_CCR_IC (1U << 17U)
#define SCB_CPACR REGISTER(0xe000ed88U)
#define SCB_CPACR_FPU (0xfU << 20U)

/* ARM B3.2.17, B4.8.5 */
#define SCB_CCSIDR REGISTER(0xe000ed80U)
#define SCB_CSSELR REGISTER(0xe000ed84U)
#define SCB_ICIALLU REGISTER(0xe000ef50U)
#define SCB_DCISW REGISTER(0xe000ef60U)

/* ARM B3.5 */
#define MPU_CTRL REGISTER(0xe000ed94U)
#define MPU_RBAR REGISTER(0xe000ed9cU)
#define MPU_RASR REGISTER(0xe000eda0U)

/* ARM C1.6.5, C1.8. On a Cortex-M7 the DWT is locked until LAR is written. */
#define DEMCR REGISTER(0xe000edfcU)
#define DEMCR_TRCENA (1U << 24U)
#define DWT_CTRL REGISTER(0xe0001000U)
#define DWT_CTRL_CYCCNTENA (1U << 0U)
#define DWT_CYCCNT REGISTER(0xe0001004U)
#define DWT_LAR REGISTER(0xe0001fb0U)
#define DWT_LAR_KEY 0xc5acce55U

#endif
