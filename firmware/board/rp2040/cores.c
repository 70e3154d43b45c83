#include "cores.h"

#include "clocks.h"
#include "cycles.h"
#include "hardware/irq.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "port_freertos.h"
#include "registers.h"
#include "start.h"
#include "watchdog.h"

/* 16 exceptions and 26 interrupts (DS 2.3.2); 48 is what a table is aligned for. */
#define VECTORS 48U
#define FIRST_IRQ 16U
enum exception { RESET = 1, HARD_FAULT = 3, SV_CALL = 11, PEND_SV = 14, SYS_TICK = 15 };

#define FIFO_VLD 1U
#define FIFO_RDY 2U

uint32_t cores_stacks[2][CORES_STACK_WORDS] __attribute__((section(".stacks"), aligned(8)));

/* In RAM, one for each core: SysTick has another meaning on each. VTOR has no lower 8 bits (DS 2.4.8). */
struct vector_table {
    _Alignas(256) uint32_t *stack; /* initial main stack pointer */
    void (*handlers[VECTORS - 1U])(void);
};
static struct vector_table vector_tables[2];

/* Names that the kernel's port gives its handlers. */
void isr_svcall(void);
void isr_pendsv(void);
void isr_systick(void);

/* ---- vectors ---- */

static void unexpected(void) {
    board_panic("an exception or interrupt without a handler", "", __get_current_exception());
}

static void set_handler(struct vector_table *table, uint32_t exception, void (*handler)(void)) {
    table->handlers[exception - 1U] = handler;
}

static void fill_table(uint32_t core) {
    struct vector_table *table = &vector_tables[core];
    table->stack = &cores_stacks[core][CORES_STACK_WORDS];
    for (uint32_t exception = RESET; exception < VECTORS; exception++) {
        set_handler(table, exception, unexpected);
    }
    set_handler(table, RESET, board_entry);
    set_handler(table, HARD_FAULT, start_hard_fault);
    set_handler(table, SV_CALL, isr_svcall);
    set_handler(table, PEND_SV, isr_pendsv);
    /* The kernel's tick is on core 0 (configTICK_CORE); core 1 has its SysTick for the watchdog. */
    set_handler(table, SYS_TICK, core == 0 ? isr_systick : watchdog_beat);
}

void cores_vectors_start(void) {
    fill_table(0);
    fill_table(1);
    VTOR = (uintptr_t)&vector_tables[0];
}

irq_handler_t cores_handler(uint32_t core, uint32_t number) {
    return vector_tables[core].handlers[FIRST_IRQ + number - 1U];
}

void cores_set_handler(uint32_t core, uint32_t number, irq_handler_t handler) {
    set_handler(&vector_tables[core], FIRST_IRQ + number, handler);
    __dmb();
}

void irq_set_exclusive_handler(unsigned number, irq_handler_t handler) {
    cores_set_handler(get_core_num(), number, handler);
}

void irq_set_priority(unsigned number, uint8_t priority) {
    uint32_t shift = 8U * (number % 4U);
    NVIC_IPR(number) = (NVIC_IPR(number) & ~(0xffU << shift)) | (uint32_t)priority << shift;
}

void irq_set_enabled(unsigned number, bool enabled) {
    if (enabled) {
        NVIC_ICPR = 1U << number;
        NVIC_ISER = 1U << number;
    } else {
        NVIC_ICER = 1U << number;
    }
}

/* ---- core 1 ---- */

static void (*core_1_entry)(void);

/* The first of our code on core 1. */
static void begin_core_1(void) {
    __asm volatile("cpsid i" ::: "memory"); /* until its first task runs */
    cycles_start(1, 0);
    watchdog_start_beat();
    core_1_entry();
    board_panic("the scheduler has not started", "", 1);
}

void multicore_reset_core1(void) {
    SET_BITS(PSM_FRCE_OFF) = PSM_PROC1;
    while ((REGISTER(PSM_FRCE_OFF) & PSM_PROC1) == 0) {
    }
    CLEAR_BITS(PSM_FRCE_OFF) = PSM_PROC1;
}

static void send(uint32_t word) {
    while ((sio_hw->fifo_st & FIFO_RDY) == 0) {
    }
    sio_hw->fifo_wr = word;
    __sev();
}

static uint32_t receive(void) {
    while ((sio_hw->fifo_st & FIFO_VLD) == 0) {
        __wfe();
    }
    return sio_hw->fifo_rd;
}

/* DS 2.8.2: core 1 echoes each word; a wrong echo starts over. Before a 0 its FIFO is emptied. */
void multicore_launch_core1(void (*entry)(void)) {
    core_1_entry = entry;
    const uint32_t words[] = {
        0, 0, 1, (uintptr_t)&vector_tables[1], (uintptr_t)vector_tables[1].stack, (uintptr_t)begin_core_1};
    for (uint32_t next = 0; next < sizeof words / sizeof words[0];) {
        if (words[next] == 0) {
            multicore_fifo_drain();
            __sev();
        }
        send(words[next]);
        next = receive() == words[next] ? next + 1U : 0;
    }
}

/* ---- stacks ---- */

uint32_t cores_stack_left(uint32_t core) {
    uint32_t left = 0;
    while (left < CORES_STACK_WORDS && cores_stacks[core][left] == START_STACK_UNUSED) {
        left++;
    }
    return left;
}

/* ---- what the kernel's port names, for locks that are not used ---- */

void panic_unsupported(void) { board_panic("a task's function has returned", "", 0); }
