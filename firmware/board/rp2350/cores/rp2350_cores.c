#include "rp2350_cores.h"

#include "hardware/irq.h"
#include "port_freertos.h"
#include "rp2_start.h"

#define MEIEA "0xbe0" /* the array of enabled interrupts, 16 bits at a time (DS 3.8.6.1.1) */

uint32_t rp2_cores_stacks[2][CORES_STACK_WORDS] __attribute__((section(".stacks"), aligned(16)));

/* ---- handlers ---- */

static void unexpected(void) { board_panic("an interrupt without a handler", "", 0); }

void vPortException(uint32_t cause, uint32_t at) {
    board_panic(cause >> 31U != 0 ? "an interrupt without a handler" : "a fault of the instruction at", "", at);
}

void vPortTaskReturned(void) { board_panic("a task's function has returned", "", 0); }

void rp2_cores_vectors_start(void) {
    for (uint32_t core = 0; core < 2U; core++) {
        struct xPortCore *port = &xPortCores[core];
        port->pxInterruptStack = &rp2_cores_stacks[core][CORES_STACK_WORDS];
        port->pxTimer = unexpected;
        for (uint32_t number = 0; number < portINTERRUPTS; number++) {
            port->pxHandlers[number] = unexpected;
        }
    }
    rp2350_cores_set_traps();
}

void rp2350_cores_set_traps(void) {
    __asm volatile("csrw mscratch, %0" ::"r"(&xPortCores[get_core_num()]));
    __asm volatile("csrw mtvec, %0" ::"r"((uintptr_t)vPortTraps + 1U)); /* vectored */
}

irq_handler_t rp2_cores_handler(uint32_t core, uint32_t number) { return xPortCores[core].pxHandlers[number]; }

void rp2_cores_set_handler(uint32_t core, uint32_t number, irq_handler_t handler) {
    *(volatile irq_handler_t *)&xPortCores[core].pxHandlers[number] = handler;
}

void irq_set_exclusive_handler(unsigned number, irq_handler_t handler) {
    rp2_cores_set_handler(get_core_num(), number, handler);
}

void irq_set_enabled(unsigned number, bool enabled) {
    if (enabled) {
        vPortEnableInterrupt(number);
    } else {
        __asm volatile("csrc " MEIEA ", %0" ::"r"(number / 16U | 1U << (16U + number % 16U)));
    }
}

/* ---- stacks ---- */

uint32_t rp2_cores_stack_left(uint32_t core) {
    uint32_t left = 0;
    while (left < CORES_STACK_WORDS && rp2_cores_stacks[core][left] == START_STACK_UNUSED) {
        left++;
    }
    return left;
}
