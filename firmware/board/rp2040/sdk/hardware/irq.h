/* Interrupts of the calling core: each core has its own NVIC and its own vector table. */
#ifndef SDK_HARDWARE_IRQ_H
#define SDK_HARDWARE_IRQ_H

#include "pico.h"

/* Interrupt numbers (DS 2.3.2) */
#define TIMER_IRQ_0 0U /* 0 to 3: the alarms */
#define USBCTRL_IRQ 5U
#define DMA_IRQ_0 11U /* DMA_IRQ_1 is 12 */
#define IO_IRQ_BANK0 13U
#define SIO_IRQ_PROC0 15U
#define SIO_IRQ_PROC1 16U
#define UART0_IRQ 20U
/* The first of six interrupts that no peripheral raises (DS 2.3.2), so software can raise them */
#define SPARE_IRQ 26U

typedef void (*irq_handler_t)(void);

/* Sets the priority, 0 (most urgent) to 255; only its two upper bits count. */
void irq_set_priority(unsigned number, uint8_t priority);

/* Puts the handler of interrupt `number` into this core's vector table. */
void irq_set_exclusive_handler(unsigned number, irq_handler_t handler);

/* Enables or disables an interrupt. Enabling clears its pending state. */
void irq_set_enabled(unsigned number, bool enabled);

#endif
