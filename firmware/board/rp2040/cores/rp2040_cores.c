#include "rp2040_cores.h"

#include "hardware/irq.h"
#include "hardware/sync.h"
#include "pico/multicore.h"
#include "port_freertos.h"
#include "rp2040_fault.h"
#include "rp2040_registers.h"
#include "rp2040_trace.h"
#include "rp2_start.h"

/* Entries of a vector table: 16 for the initial stack pointer and the exceptions, and 26 for interrupts (DS 2.3.2),
 * rounded up to 48 */
#define VECTORS 48U
#define FIRST_IRQ 16U
enum exception { RESET = 1, HARD_FAULT = 3, SV_CALL = 11, PEND_SV = 14, SYS_TICK = 15 };

uint32_t rp2_cores_stacks[2][CORES_STACK_WORDS] __attribute__((section(".stacks"), aligned(8)));

/* The vector tables are in RAM, one for each core. Their addresses are multiples of 256, because the lower 8 bits of
 * VTOR are always 0 (DS 2.4.8). */
struct vector_table {
    _Alignas(256) uint32_t *stack; /* initial main stack pointer */
    void (*handlers[VECTORS - 1U])(void);
};
static struct vector_table vector_tables[2];

/* The kernel port's exception handlers, under the names that the kernel gives them */
void isr_svcall(void);
void isr_pendsv(void);
void isr_systick(void);

/* ---- vectors ---- */

static void unexpected(void) {
    board_panic("an exception or interrupt without a handler", "", __get_current_exception());
}

static void set_handler(struct vector_table *table, uint32_t exception, void (*handler)(void)) {
    table->handlers[exception - 1U] = rp2040_trace_handler((uint32_t)(table - vector_tables), exception, handler);
}

static void fill_table(uint32_t core) {
    struct vector_table *table = &vector_tables[core];
    table->stack = &rp2_cores_stacks[core][CORES_STACK_WORDS];
    for (uint32_t exception = RESET; exception < VECTORS; exception++) {
        set_handler(table, exception, unexpected);
    }
    set_handler(table, RESET, board_entry);
    set_handler(table, HARD_FAULT, rp2040_fault_hard);
    set_handler(table, SV_CALL, isr_svcall);
    set_handler(table, PEND_SV, isr_pendsv);
    set_handler(table, SYS_TICK, isr_systick);
}

void rp2_cores_vectors_start(void) {
    fill_table(0);
    fill_table(1);
    VTOR = rp2040_cores_table(get_core_num());
}

uint32_t rp2040_cores_table(uint32_t core) { return (uintptr_t)&vector_tables[core]; }

void rp2040_cores_set_systick(uint32_t core, void (*handler)(void)) {
    set_handler(&vector_tables[core], SYS_TICK, handler);
}

irq_handler_t rp2_cores_handler(uint32_t core, uint32_t number) {
    uint32_t exception = FIRST_IRQ + number;
    return rp2040_trace_handled(core, exception, vector_tables[core].handlers[exception - 1U]);
}

void rp2_cores_set_handler(uint32_t core, uint32_t number, irq_handler_t handler) {
    set_handler(&vector_tables[core], FIRST_IRQ + number, handler);
    __dmb();
}

void irq_set_exclusive_handler(unsigned number, irq_handler_t handler) {
    rp2_cores_set_handler(get_core_num(), number, handler);
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

/* ---- stacks ---- */

uint32_t rp2_cores_stack_left(uint32_t core) {
    uint32_t left = 0;
    while (left < CORES_STACK_WORDS && rp2_cores_stacks[core][left] == START_STACK_UNUSED) {
        left++;
    }
    return left;
}

/* ---- a function that the kernel's port calls ---- */

void panic_unsupported(void) { board_panic("a task's function has returned", "", 0); }
