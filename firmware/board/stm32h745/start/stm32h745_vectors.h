/* This core's vector table */
#ifndef STM32H745_VECTORS_H
#define STM32H745_VECTORS_H

#include <stdint.h>

#include "stm32h745_irq.h"

/* 16 of the core and the interrupts (RM table "NVIC"); VTOR needs a multiple of the next power of two (ARM B3.2.5). */
#define VECTORS_OF_CORE 16U
#define VECTORS_ALIGN 1024

struct stm32h745_vector_table {
    uint32_t *stack; /* initial main stack pointer */
    void (*handlers[VECTORS_OF_CORE - 1U + IRQ_COUNT])(void);
};

extern const struct stm32h745_vector_table stm32h745_vectors;

#endif
