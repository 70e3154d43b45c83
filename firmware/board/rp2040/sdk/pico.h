/* The parts of the pico-sdk that the kernel's RP2040 port needs, with the same names: written from the datasheet ("DS")
 * and from the port's use. Each header has only what the port includes it for. */
#ifndef SDK_PICO_H
#define SDK_PICO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The SDK version that the port sees: with version 2 it expects spin_try_lock_unsafe(). */
#define PICO_SDK_VERSION_MAJOR 2

/* The port's handlers have fixed names (isr_pendsv, …) and are in the vector tables from the start. */
#define PICO_NO_RAM_VECTOR_TABLE 1

/* The SDK's default: tasks may use the SIO divider at any time, so the kernel saves it at each switch. */
#define PICO_DIVIDER_DISABLE_INTERRUPTS 0

/* Spinlocks that the SDK reserves for operating systems */
#define PICO_SPINLOCK_ID_OS1 14
#define PICO_SPINLOCK_ID_OS2 15

/* The port's defaults must follow the kernel's configuration; the SDK includes them in this place as well. */
// clang-format off
#include "FreeRTOSConfig.h"
#include "rp2040_config.h"
// clang-format on

/* SIO registers that are used, DS 2.3.1.7 */
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

/* Called when the kernel cannot continue; ends the program with a message. */
void panic_unsupported(void) __attribute__((noreturn));

#endif
