/* The doorbells of port_interrupt.h: the cross-core interrupt, by which ESP-IDF's kernel has a core choose its task
 * again. There are four such interrupts. The kernel has 0 (to core 0) and 1 (to core 1), esp_ipc_isr() has 2 and 3. So
 * a doorbell shares the kernel's: while one is open, a handler of ours stands in front of the kernel's in the table of
 * the core. It takes a flag for a ring, before and after the kernel's: that clears the interrupt, so a ring from before
 * is seen by the second look, and one from after asks for the interrupt again.
 *
 * A core rings itself in the same way. */
#include <stdatomic.h>

#include "esp32_idf.h"
#include "esp32_xtensa.h"
#include "port_freertos.h"
#include "port_interrupt.h"

#define CORES 2U

/* The handlers of all interrupts, by number and then by core (components/xtensa/xtensa_intr.c). Only the handler is
 * exchanged, in one store; its argument stays the kernel's. */
struct entry {
    void (*handler)(void *arg);
    void *arg;
};
extern struct entry _xt_interrupt_table[XCHAL_NUM_INTERRUPTS * CORES]; // NOLINT(bugprone-reserved-identifier)

static struct {
    void (*handler)(void *arg);
    void *arg;
    atomic_uint rung;
    void (*kernel)(void *arg); /* what stood in the table; NULL while the doorbell is closed */
} doorbells[CORES];

/* The number of the kernel's cross-core interrupt on a core. ESP-IDF chooses it at start. */
static uint32_t number_on(uint32_t core) {
#ifdef CONFIG_IDF_TARGET_ESP32
    uint32_t map = core == 0 ? DPORT_REG_READ(DPORT_PRO_CPU_INTR_FROM_CPU_0_MAP_REG)
                             : DPORT_REG_READ(DPORT_APP_CPU_INTR_FROM_CPU_1_MAP_REG);
#else
    uint32_t map = core == 0 ? REG_READ(INTERRUPT_CORE0_CPU_INTR_FROM_CPU_0_MAP_REG)
                             : REG_READ(INTERRUPT_CORE1_CPU_INTR_FROM_CPU_1_MAP_REG);
#endif
    return map % XCHAL_NUM_INTERRUPTS;
}

static struct entry *entry_of(uint32_t core) { return &_xt_interrupt_table[number_on(core) * CORES + core]; }

static void IRAM_ATTR take_ring(uint32_t core) {
    if (atomic_exchange(&doorbells[core].rung, 0) != 0) {
        doorbells[core].handler(doorbells[core].arg);
    }
}

static void IRAM_ATTR crossed(void *kernel_arg) {
    uint32_t core = xtensa_core();
    take_ring(core);
    doorbells[core].kernel(kernel_arg);
    take_ring(core);
}

enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    struct entry *entry = entry_of(core);
    /* The kernel's has an argument. Opened twice, ours would stand before itself, and call itself for ever. */
    if (entry->arg == NULL || entry->handler == crossed) {
        return PORT_ERR_RESOURCE;
    }
    doorbells[core].handler = handler;
    doorbells[core].arg = arg;
    doorbells[core].kernel = entry->handler;
    atomic_store(&doorbells[core].rung, 0);
    __atomic_store_n(&entry->handler, crossed, __ATOMIC_SEQ_CST);
    return PORT_OK;
}

/* A ring that is still on its way is a needless interrupt of the kernel's. */
void port_doorbell_close(uint32_t core) {
    __atomic_store_n(&entry_of(core)->handler, doorbells[core].kernel, __ATOMIC_SEQ_CST);
    atomic_store(&doorbells[core].rung, 0);
}

void IRAM_ATTR port_doorbell_ring(uint32_t core) {
    atomic_store(&doorbells[core].rung, 1);
    crosscore_int_ll_trigger_interrupt((int)core);
}
