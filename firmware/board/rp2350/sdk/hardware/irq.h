/* Interrupts of the calling core: each core has its own interrupt controller and its own table of handlers. */
#ifndef SDK_HARDWARE_IRQ_H
#define SDK_HARDWARE_IRQ_H

#include "pico.h"

/* Interrupt numbers (DS 3.2) */
#define TIMER_IRQ_0 0U /* of TIMER0, 0 to 3: the alarms */
#define DMA_IRQ_0 10U  /* DMA_IRQ_1 is 11 */
#define USBCTRL_IRQ 14U
#define IO_IRQ_BANK0 21U
#define SIO_IRQ_FIFO 25U
#define SIO_IRQ_BELL 26U
#define UART0_IRQ 33U
/* The first of six interrupts that no peripheral raises (DS 3.2), so software can raise them */
#define SPARE_IRQ 46U

typedef void (*irq_handler_t)(void);

/* Has no effect: all interrupts have the same priority, and a handler runs to its end. */
static inline void irq_set_priority(unsigned number, uint8_t priority) {
    (void)number;
    (void)priority;
}

/* Sets this core's handler of interrupt `number`. */
void irq_set_exclusive_handler(unsigned number, irq_handler_t handler);

/* Enables or disables an interrupt. Enabling clears its pending state, if software has raised it. */
void irq_set_enabled(unsigned number, bool enabled);

#endif
