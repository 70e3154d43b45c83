/* The parts of the pico-sdk that the kernel's RP2040 port needs, with the SDK's names. They were written from the
 * datasheet ("DS") and from how the port uses them. Each header contains only what the port uses of it. */
#ifndef SDK_PICO_H
#define SDK_PICO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The SDK version for the port's checks: from version 2 on, the port expects spin_try_lock_unsafe(). */
#define PICO_SDK_VERSION_MAJOR 2

/* The port must not install its handlers at run time: they have fixed names (isr_pendsv, …) and are in the vector
 * tables from the start. */
#define PICO_NO_RAM_VECTOR_TABLE 1

/* 0 is the SDK's default: tasks may use the SIO divider at any time, so the kernel saves its state at each context
 * switch. */
#define PICO_DIVIDER_DISABLE_INTERRUPTS 0

/* Spinlocks that the SDK reserves for operating systems */
#define PICO_SPINLOCK_ID_OS1 14
#define PICO_SPINLOCK_ID_OS2 15

/* These headers are included in this order and in this place, as in the SDK, because the port's defaults depend on the
 * kernel's configuration. */
// clang-format off
#include "FreeRTOSConfig.h"
#include "rp2040_config.h"
// clang-format on

/* The SIO registers that the firmware uses (DS 2.3.1.7) */
typedef struct {
    const volatile uint32_t cpuid; /* 0 or 1: the core that reads it */
    volatile uint32_t gpio[19];    /* not used here */
    volatile uint32_t fifo_st;
    volatile uint32_t fifo_wr;
    const volatile uint32_t fifo_rd;
} sio_hw_t;
_Static_assert(offsetof(sio_hw_t, fifo_st) == 0x50, "DS 2.3.1.7");

#define sio_hw ((sio_hw_t *)0xd0000000U)

/* Returns the number of the calling core. */
static inline unsigned get_core_num(void) { return (unsigned)sio_hw->cpuid; }

/* Ends the firmware with a message. The kernel's port calls it if it cannot continue, as when a task's function
 * returns. */
void panic_unsupported(void) __attribute__((noreturn));

#endif
