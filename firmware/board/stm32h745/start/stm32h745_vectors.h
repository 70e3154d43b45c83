/* This core's vector table */
#ifndef STM32H745_VECTORS_H
#define STM32H745_VECTORS_H

#include <stdint.h>

#include "stm32h745_irq.h"

/* The vector table holds 16 entries that every Cortex-M has (the initial stack pointer and 15 exceptions), followed by
 * the entries of the interrupts (RM table "NVIC"). The table's address must be a multiple of its size, rounded up to a
 * power of two (ARM B3.2.5, VTOR). */
#define VECTORS_OF_CORE 16U
#define VECTORS_ALIGN 1024

struct stm32h745_vector_table {
    uint32_t *stack; /* initial main stack pointer */
    void (*handlers[VECTORS_OF_CORE - 1U + IRQ_COUNT])(void);
};

extern const struct stm32h745_vector_table stm32h745_vectors;

#endif
