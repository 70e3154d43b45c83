#include "stm32h745_timer.h"

#include "port_amp.h"
#include "port_interrupt.h"
#include "stm32h745_irq.h"
#include "stm32h745_registers.h"

/* The one timer of port_interrupt.h; the core that opened it last handles its interrupt. One core may set the timer
 * while the timer fires on the other core, so these variables are used only with the lock between the cores held. */
static struct {
    uint32_t core;
    uint32_t armed;
    uint64_t when;
} timer PORT_SHARED(timer);

/* The handler that this core calls when the timer fires, and its argument */
static void (*fired)(void *arg);
static void *fired_arg;

static void disarm(void) {
    TIM_DIER(TIM5) = 0;
    TIM_SR(TIM5) = ~TIM_SR_CC1IF; /* writing 1 to the other flags does not change them (RM 41.4.5) */
    timer.armed = 0;
}

enum port_error board_timer_open(void (*handler)(void *arg), void *arg) {
    uint32_t mask = board_lock();
    disarm();
    timer.core = board_core();
    fired = handler;
    fired_arg = arg;
    board_unlock(mask);
    stm32h745_irq_enable(IRQ_TIM5);
    return PORT_OK;
}

void board_timer_close(void) {
    uint32_t mask = board_lock();
    disarm();
    board_unlock(mask);
}

uint64_t port_timer_set(uint64_t when) {
    uint32_t mask = board_lock();
    disarm();
    timer.when = when;
    timer.armed = 1;
    TIM_CCR1(TIM5) = (uint32_t)when;
    TIM_SR(TIM5) = ~TIM_SR_CC1IF; /* clears the flag of a match with the previous value of CCR1 */
    TIM_DIER(TIM5) = TIM_DIER_CC1IE;
    board_unlock(mask);
    return when;
}

/* The interrupt reaches both cores, so the core that opened the timer previously may get one more interrupt. TIM5
 * matches once every 2^32 cycles; only the match at `when` counts. */
void stm32h745_timer_interrupt(void) {
    uint32_t mask = board_lock();
    bool mine = timer.core == board_core();
    bool due = mine && timer.armed != 0 && port_clock() >= timer.when;
    if (due) {
        disarm();
    } else if (mine) {
        TIM_SR(TIM5) = ~TIM_SR_CC1IF;
    }
    board_unlock(mask);
    if (!mine) {
        stm32h745_irq_disable(IRQ_TIM5);
    } else if (due) {
        fired(fired_arg);
    }
}
