/* Records the trace events that only the RP2040 has (rp2040_trace.h). */
#include "rp2040_trace.h"

#include "hardware/irq.h"
#include "hardware/sync.h"
#include "trace.h"

#define VECTORS 48U
#define SYS_TICK 15U
#define FIRST_IRQ 16U

static rp2040_trace_handler_t handlers[2][VECTORS];

static enum ic_trace_cause cause_of(uint32_t exception) {
    switch (exception) {
    case SYS_TICK:
        return IC_TRACE_OF_TICK;
    case FIRST_IRQ + TIMER_IRQ_0:
    case FIRST_IRQ + TIMER_IRQ_0 + 1U:
        return IC_TRACE_OF_TIMER;
    case FIRST_IRQ + SIO_IRQ_PROC0:
    case FIRST_IRQ + SIO_IRQ_PROC1:
        return IC_TRACE_OF_CORE;
    default:
        return IC_TRACE_OTHER;
    }
}

static void recorded(void) {
    uint32_t exception = __get_current_exception();
    enum ic_trace_cause cause = cause_of(exception);
    ic_trace(IC_TRACE_INTERRUPT_IN, cause, exception);
    handlers[get_core_num()][exception]();
    ic_trace(IC_TRACE_INTERRUPT_OUT, cause, exception);
}

/* System exceptions below SysTick, such as PendSV, are not recorded: the kernel's trace events already show each
 * context switch. */
rp2040_trace_handler_t rp2040_trace_handler(uint32_t core, uint32_t exception, rp2040_trace_handler_t handler) {
    if (exception < SYS_TICK) {
        return handler;
    }
    handlers[core][exception] = handler;
    return recorded;
}

rp2040_trace_handler_t rp2040_trace_handled(uint32_t core, uint32_t exception, rp2040_trace_handler_t in_table) {
    return in_table == recorded ? handlers[core][exception] : in_table;
}

void rp2040_trace_ring(void) { ic_trace(IC_TRACE_RUNG, 0, 1U - get_core_num()); }

/* The kernel's port interrupts the other core through vYieldCore(). The linker redirects the calls to the function
 * below, whose name begins with __wrap_ (board.cmake). */
void __real_vYieldCore(int core);
void __wrap_vYieldCore(int core);

void __wrap_vYieldCore(int core) {
    rp2040_trace_ring();
    __real_vYieldCore(core);
}
