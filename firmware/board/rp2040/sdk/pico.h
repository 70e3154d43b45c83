/* What the kernel's RP2040 port needs of the pico-sdk, by the same names: our own code, made from the datasheet ("DS")
 * and from how the port uses it. Each header here holds what the port includes that header for, and no more. */
#ifndef SDK_PICO_H
#define SDK_PICO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The interface that the port may expect: with version 2 it expects spin_try_lock_unsafe(). */
#define PICO_SDK_VERSION_MAJOR 2

/* The port's handlers have fixed names (isr_pendsv, …) and stand in the vector tables from the start. */
#define PICO_NO_RAM_VECTOR_TABLE 1

/* As the SDK's default: tasks may use the SIO divider at any time, so the kernel saves it at each switch. */
#define PICO_DIVIDER_DISABLE_INTERRUPTS 0

/* Spinlocks that the SDK sets aside for operating systems. */
#define PICO_SPINLOCK_ID_OS1 14
#define PICO_SPINLOCK_ID_OS2 15

/* The port's defaults belong behind the kernel's configuration; the SDK includes them in this place as well. */
// clang-format off
#include "FreeRTOSConfig.h"
#include "rp2040_config.h"
// clang-format on

/* SIO registers, DS 2.3.1.7, as far as they are needed. */
typedef struct {
    const volatile uint32_t cpuid; /* 0 or 1: the core that reads it */
    volatile uint32_t gpio[19];    /* not used here */
    volatile uint32_t fifo_st;
    volatile uint32_t fifo_wr;
    const volatile uint32_t fifo_rd;
} sio_hw_t;
_Static_assert(offsetof(sio_hw_t, fifo_st) == 0x50, "DS 2.3.1.7");

#define sio_hw ((sio_hw_t *)0xd0000000U)

/* The core that executes this. */
static inline unsigned get_core_num(void) { return (unsigned)sio_hw->cpuid; }

/* Called where the kernel cannot go on; ends the program with a message. */
void panic_unsupported(void) __attribute__((noreturn));

#endif
