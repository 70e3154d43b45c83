/* Hardware semaphores as locks (stm32h745_semaphores.h). */
#ifndef STM32H745_LOCK_H
#define STM32H745_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Takes a semaphore, if it is free; tells whether. With interrupts masked: a handler that tried as well would find that
 * its core has it. */
bool stm32h745_lock_try(uint32_t semaphore);

/* Gives back what this core has taken: what was written before is seen by whoever takes it next. */
void stm32h745_lock_give(uint32_t semaphore);

/* The same with interrupts masked from here to there, waiting busily. */
uint32_t stm32h745_lock_enter(uint32_t semaphore);
void stm32h745_lock_leave(uint32_t semaphore, uint32_t mask);

#endif
