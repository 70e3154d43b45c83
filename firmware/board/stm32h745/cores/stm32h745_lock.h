/* Hardware semaphores as locks (stm32h745_semaphores.h) */
#ifndef STM32H745_LOCK_H
#define STM32H745_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Takes a semaphore if it is free; returns whether it was. Call it with interrupts masked: the hardware does not
 * distinguish a core's tasks and handlers, so a handler could take a semaphore that its own core already has. */
bool stm32h745_lock_try(uint32_t semaphore);

/* Releases a semaphore that this core has. Earlier writes are visible to the core that takes it next. */
void stm32h745_lock_give(uint32_t semaphore);

/* Take and release a semaphore, with interrupts masked in between. The first function busy-waits, and returns the
 * interrupt mask that the second one restores. */
uint32_t stm32h745_lock_enter(uint32_t semaphore);
void stm32h745_lock_leave(uint32_t semaphore, uint32_t mask);

#endif
