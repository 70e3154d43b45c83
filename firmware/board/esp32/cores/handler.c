#include "esp32_handler.h"

#include "esp32_cpu.h"
#include "esp32_idf.h"
#include "esp32_trace.h"

#define CORES 2U

/* The number of the kernel's cross-core interrupt on a core. ESP-IDF chooses it at start; it is read from the interrupt
 * matrix. */
static uint32_t mapped_on(uint32_t core) {
#ifdef CONFIG_IDF_TARGET_ESP32
    return core == 0 ? DPORT_REG_READ(DPORT_PRO_CPU_INTR_FROM_CPU_0_MAP_REG)
                     : DPORT_REG_READ(DPORT_APP_CPU_INTR_FROM_CPU_1_MAP_REG);
#else
    /* The interrupt matrix has a word for each interrupt source, in the order of ESP-IDF's numbers for the sources. */
    return core == 0 ? REG_READ(DR_REG_INTERRUPT_CORE0_BASE + 4 * ETS_FROM_CPU_INTR0_SOURCE)
                     : REG_READ(DR_REG_INTERRUPT_CORE1_BASE + 4 * ETS_FROM_CPU_INTR1_SOURCE);
#endif
}

#ifdef __XTENSA__

/* The handlers of all interrupts, ordered by number and then by core (components/xtensa/xtensa_intr.c). Any core can
 * replace a handler by one store. */
extern struct esp32_handler _xt_interrupt_table[XCHAL_NUM_INTERRUPTS * CORES]; // NOLINT(bugprone-reserved-identifier)

static struct esp32_handler *entry_of(uint32_t core) {
    return &_xt_interrupt_table[mapped_on(core) % XCHAL_NUM_INTERRUPTS * CORES + core];
}

static struct esp32_handler get(uint32_t core) { return *entry_of(core); }

static void put(uint32_t core, esp32_handler_t call) {
    __atomic_store_n(&entry_of(core)->call, call, __ATOMIC_SEQ_CST);
}

#else

/* Each core has its own table of handlers, which only that core can access (components/riscv/interrupt.c). */
static int number_here(void) { return (int)(mapped_on(cpu_core()) & RV_INT_MASK) - RV_EXTERNAL_INT_OFFSET; }

static void get_here(void *found) {
    int number = number_here();
    *(struct esp32_handler *)found =
        (struct esp32_handler){.call = intr_handler_get(number), .arg = intr_handler_get_arg(number)};
}

/* ESP-IDF writes the handler and its argument separately, so interrupts are masked in between. */
static void put_here(void *wanted) {
    int number = number_here();
    uint32_t state = cpu_mask();
    intr_handler_set(number, *(esp32_handler_t *)wanted, intr_handler_get_arg(number));
    cpu_unmask(state);
}

static struct esp32_handler get(uint32_t core) {
    struct esp32_handler found = {0};
    (void)esp_ipc_call_blocking(core, get_here, &found);
    return found;
}

static void put(uint32_t core, esp32_handler_t call) { (void)esp_ipc_call_blocking(core, put_here, &call); }

#endif

struct esp32_handler esp32_handler_get(uint32_t core) {
    struct esp32_handler found = get(core);
    found.call = esp32_trace_handled(core, found.call);
    return found;
}

void esp32_handler_put(uint32_t core, esp32_handler_t call) { put(core, esp32_trace_handler(core, call)); }
