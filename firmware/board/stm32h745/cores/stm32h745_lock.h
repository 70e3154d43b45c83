/* Hardware semaphores as locks (stm32h745_semaphores.h) */
#ifndef STM32H745_LOCK_H
#define STM32H745_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Takes a semaphore, if it is free; returns whether it did. With interrupts masked: for a handler of the same core the
 * semaphore would appear as its own. */
bool stm32h745_lock_try(uint32_t semaphore);

/* Releases a semaphore of this core: earlier writes are visible to the core that takes it next. */
void stm32h745_lock_give(uint32_t semaphore);

/* The same with interrupts masked from acquisition to release, and a busy wait */
uint32_t stm32h745_lock_enter(uint32_t semaphore);
void stm32h745_lock_leave(uint32_t semaphore, uint32_t mask);

#endif
