/* The doorbells of port_interrupt.h: the cross-core interrupt, by which ESP-IDF's kernel has a core choose its task
 * again. There are four such interrupts. The kernel has 0 (to core 0) and 1 (to core 1), esp_ipc_isr() has 2 and 3. So
 * a doorbell shares the kernel's: while one is open, a handler of ours stands in front of the kernel's in the table of
 * the core. It takes a flag for a ring, before and after the kernel's: that clears the interrupt, so a ring from before
 * is seen by the second look, and one from after asks for the interrupt again.
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
    esp32_handler_t kernel; /* what stood in the table */
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
    /* The kernel's has an argument. Opened twice, ours would stand before itself, and call itself for ever. */
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

/* A ring that is still on its way is a needless interrupt of the kernel's. */
void port_doorbell_close(uint32_t core) {
    esp32_handler_put(core, doorbells[core].kernel);
    atomic_store(&doorbells[core].rung, 0);
}

void IRAM_ATTR port_doorbell_ring(uint32_t core) {
    atomic_store(&doorbells[core].rung, 1);
    esp32_trace_ring(core);
    crosscore_int_ll_trigger_interrupt((int)core);
}
