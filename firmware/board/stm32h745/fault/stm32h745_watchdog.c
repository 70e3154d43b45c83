#include "stm32h745_watchdog.h"

#include "stm32h745_registers.h"

#define PRESCALER_64 4U
#define RELOAD 0xfffU

/* Starts the watchdog in the order of RM 48.3.3: start, unlock, set, wait for the update, feed. */
void stm32h745_watchdog_start(void) {
    DBGMCU_APB4FZ1 |= DBGMCU_APB4FZ1_DBG_IWDG1;
    IWDG1_KR = IWDG_KR_START;
    IWDG1_KR = IWDG_KR_UNLOCK;
    IWDG1_PR = PRESCALER_64;
    IWDG1_RLR = RELOAD;
    while (IWDG1_SR != 0) {
    }
    stm32h745_watchdog_feed();
}

void stm32h745_watchdog_feed(void) { IWDG1_KR = IWDG_KR_FEED; }
