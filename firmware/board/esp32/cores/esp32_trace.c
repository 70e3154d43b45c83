#include "esp32_trace.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "esp32_cpu.h"
#include "esp32_idf.h"

#define CORES 2U

static struct {
    esp32_handler_t handler; /* the original handler of the cross-core interrupt, called by ours */
    atomic_bool rung;        /* the other core has sent the interrupt, and it has not been handled yet */
    uint32_t open;           /* handlers that have begun and not ended: the nesting depth */
    uint32_t tick;           /* value of `open` inside the tick's handler; 0 outside it */
    uint32_t tick_number;
} cores[CORES];

static bool started;

/* ---- handlers ---- */

void IRAM_ATTR esp32_trace_enter(enum ic_trace_cause cause, uint32_t number) {
    cores[cpu_core()].open++;
    ic_trace(IC_TRACE_INTERRUPT_IN, cause, number);
}

void IRAM_ATTR esp32_trace_leave(enum ic_trace_cause cause, uint32_t number) {
    ic_trace(IC_TRACE_INTERRUPT_OUT, cause, number);
    cores[cpu_core()].open--;
}

void trace_esp_idf_tick_begins(uint32_t number);
void trace_esp_idf_tick_ends(void);

void IRAM_ATTR trace_esp_idf_tick_begins(uint32_t number) {
    uint32_t core = cpu_core();
    esp32_trace_enter(IC_TRACE_OF_TICK, number);
    cores[core].tick = cores[core].open;
    cores[core].tick_number = number;
}

/* Called by the kernel's trace macros at the end of the tick's handler. Handlers nested in the tick's handler use one
 * of these macros to request a context switch. There `open`, the nesting depth, is larger than in the tick's handler
 * itself, and the tick has not ended. */
void IRAM_ATTR trace_esp_idf_tick_ends(void) {
    uint32_t core = cpu_core();
    if (cores[core].tick != 0 && cores[core].tick == cores[core].open) {
        cores[core].tick = 0;
        esp32_trace_leave(IC_TRACE_OF_TICK, cores[core].tick_number);
    }
}

/* ---- the cross-core interrupt ---- */

/* Records only interrupts to the other core. A core also sends this interrupt to itself: on RISC-V, a task yields in
 * this way. */
void IRAM_ATTR esp32_trace_ring(uint32_t core) {
    if (core != cpu_core()) {
        atomic_store(&cores[core].rung, true);
        ic_trace(IC_TRACE_RUNG, 0, core);
    }
}

/* The kernel calls esp_crosscore_int_send_yield() to send the cross-core interrupt. The linker redirects these calls to
 * the function below, whose name begins with __wrap_ (component.cmake). */
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,misc-use-internal-linkage): the linker's names
void __real_esp_crosscore_int_send_yield(int core);
void __wrap_esp_crosscore_int_send_yield(int core);

void IRAM_ATTR __wrap_esp_crosscore_int_send_yield(int core) {
    esp32_trace_ring((uint32_t)core);
    __real_esp_crosscore_int_send_yield(core);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,misc-use-internal-linkage)

static void IRAM_ATTR recorded(void *arg) {
    uint32_t core = cpu_core();
    enum ic_trace_cause cause = atomic_exchange(&cores[core].rung, false) ? IC_TRACE_OF_CORE : IC_TRACE_OTHER;
    esp32_trace_enter(cause, core);
    cores[core].handler(arg);
    esp32_trace_leave(cause, core);
}

esp32_handler_t esp32_trace_handler(uint32_t core, esp32_handler_t handler) {
    cores[core].handler = handler;
    return started ? recorded : handler;
}

esp32_handler_t esp32_trace_handled(uint32_t core, esp32_handler_t in_table) {
    return in_table == recorded ? cores[core].handler : in_table;
}

static void put_again(void) {
    for (uint32_t core = 0; core < CORES; core++) {
        esp32_handler_put(core, esp32_handler_get(core).call);
    }
}

void esp32_trace_start(void) {
    started = true;
    put_again();
}

void esp32_trace_stop(void) {
    started = false;
    put_again();
}
