/* Hardware semaphores as locks (stm32h745_semaphores.h) */
#ifndef STM32H745_LOCK_H
#define STM32H745_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Takes a semaphore if it is free; returns whether it was free. Call it with interrupts masked: the hardware does not
 * distinguish a core's tasks and handlers, so a handler could take a semaphore that a task of its core already
 * holds. */
bool stm32h745_lock_try(uint32_t semaphore);

/* Releases a semaphore that this core holds. The core that takes the semaphore next sees all earlier writes of this
 * core. */
void stm32h745_lock_give(uint32_t semaphore);

/* Take and release a semaphore, with interrupts masked in between. stm32h745_lock_enter() busy-waits until the
 * semaphore is free, and returns the interrupt mask that stm32h745_lock_leave() restores. */
uint32_t stm32h745_lock_enter(uint32_t semaphore);
void stm32h745_lock_leave(uint32_t semaphore, uint32_t mask);

#endif
