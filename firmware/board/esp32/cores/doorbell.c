/* The doorbells of port_interrupt.h. They use the cross-core interrupt with which ESP-IDF's kernel makes a core
 * reschedule.
 *
 * There are four such interrupts. The kernel uses 0 (to core 0) and 1 (to core 1), esp_ipc_isr() uses 2 and 3. So a
 * doorbell must share the kernel's interrupt. While a doorbell is open, a wrapper replaces the kernel's handler in the
 * core's table of interrupt handlers, and a ring sets a flag. The kernel's handler clears the interrupt, so the wrapper
 * checks the flag before and after calling it: the second check sees a ring that came before the interrupt was cleared,
 * and a later ring raises the interrupt again.
 *
 * A core rings itself in the same way. */
#include <stdatomic.h>

#include "esp32_cpu.h"
#include "esp32_handler.h"
#include "esp32_idf.h"
#include "esp32_trace.h"
#include "port_freertos.h"
#include "port_interrupt.h"

#define CORES 2U

static struct {
    void (*handler)(void *arg);
    void *arg;
    atomic_uint rung;
    esp32_handler_t kernel; /* handler that was in the table before */
} doorbells[CORES];

static void IRAM_ATTR take_ring(uint32_t core) {
    if (atomic_exchange(&doorbells[core].rung, 0) != 0) {
        doorbells[core].handler(doorbells[core].arg);
    }
}

static void IRAM_ATTR crossed(void *kernel_arg) {
    uint32_t core = cpu_core();
    take_ring(core);
    doorbells[core].kernel(kernel_arg);
    take_ring(core);
}

enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    struct esp32_handler kernel = esp32_handler_get(core);
    /* The kernel's handler always has an argument; an entry without one is not the kernel's. If the doorbell is already
     * open, the wrapper would call itself for ever. */
    if (kernel.arg == NULL || kernel.call == crossed) {
        return PORT_ERR_RESOURCE;
    }
    doorbells[core].handler = handler;
    doorbells[core].arg = arg;
    doorbells[core].kernel = kernel.call;
    atomic_store(&doorbells[core].rung, 0);
    esp32_handler_put(core, crossed);
    return PORT_OK;
}

/* A ring that arrives after this only makes the kernel handle an interrupt without need. */
void port_doorbell_close(uint32_t core) {
    esp32_handler_put(core, doorbells[core].kernel);
    atomic_store(&doorbells[core].rung, 0);
}

void IRAM_ATTR port_doorbell_ring(uint32_t core) {
    atomic_store(&doorbells[core].rung, 1);
    esp32_trace_ring(core);
    crosscore_int_ll_trigger_interrupt((int)core);
}
