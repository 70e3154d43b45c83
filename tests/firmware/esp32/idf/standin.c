/* A part of ESP-IDF over POSIX threads: as much as a session of the firmware and a measurement need of it.
 *
 * - The heap is memory at the addresses of the ESP32's two banks, handed out first fit, sram2 before sram1 as ESP-IDF
 *   does it, and as large as the test says. What is free is poisoned, so the address sanitizer sees a use of it. Tasks'
 *   stacks and control blocks are taken from it as well, though the threads have other stacks.
 * - Time passes by looking at it: every reading of a counter is some cycles later than the one before, on whatever
 *   core, and while no task runs the ticks go by up to which one sleeps. So nothing depends on how busy this machine
 *   is: not what two tasks find who compare their counters, either, while a third one waits for them tick by tick.
 * - Tasks and cores are standin_kernel.c's. */
#include "standin_control.h"

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "esp32_ccompare.h"
#include "esp32_cpu.h"
#include "esp_pm.h"
#include "standin.h"
#include "standin_kernel.h"

#define HZ 240000000U
_Static_assert(HZ / configTICK_RATE_HZ == STANDIN_TICK_CYCLES, "the kernel's");
#define READING_CYCLES 100U

void standin_check(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "stand-in: %s\n", what);
        abort();
    }
}

/* ---- the heap ---- */

#define BLOCKS 256U
#define HEADER_BYTES 16U

struct block {
    uintptr_t base;
    size_t bytes; /* 0: not in use */
};

static struct bank {
    uintptr_t low, high;
    size_t bytes; /* of it, that are the heap's */
    struct block blocks[BLOCKS];
} banks[] = {{.low = SOC_DRAM_LOW, .high = SOC_DIRAM_DRAM_LOW},
             {.low = SOC_DIRAM_DRAM_LOW, .high = SOC_DIRAM_DRAM_HIGH}};
#define BANKS (sizeof banks / sizeof banks[0])

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t allocations, fail_first, fail_last;

void standin_heap(size_t sram2_bytes, size_t sram1_bytes) {
    static bool mapped;
    size_t whole = SOC_DIRAM_DRAM_HIGH - SOC_DRAM_LOW;
    if (!mapped) {
        void *base = mmap((void *)(uintptr_t)SOC_DRAM_LOW, whole, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        standin_check(base == (void *)(uintptr_t)SOC_DRAM_LOW, "no memory at the chip's addresses");
        mapped = true;
    }
    standin_check(standin_heap_used() == 0, "the heap is in use");
    standin_check(sram2_bytes <= banks[0].high - banks[0].low && sram1_bytes <= banks[1].high - banks[1].low,
                  "no such bank");
    banks[0].bytes = sram2_bytes;
    banks[1].bytes = sram1_bytes;
    ASAN_POISON_MEMORY_REGION((void *)(uintptr_t)SOC_DRAM_LOW, whole);
}

void standin_heap_fail(uint32_t first, uint32_t last) {
    allocations = 0;
    fail_first = first;
    fail_last = last;
}

uint32_t standin_heap_allocations(void) { return allocations; }

static bool overlaps(const struct block *block, uintptr_t base, size_t bytes) {
    return block->bytes > 0 && base < block->base + block->bytes + HEADER_BYTES &&
           block->base < base + bytes + HEADER_BYTES;
}

/* The lowest place for so many bytes in a bank; 0 if there is none. */
static uintptr_t place_in(const struct bank *bank, size_t alignment, size_t bytes) {
    uintptr_t base = bank->low;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        base = (base + alignment - 1U) / alignment * alignment;
        if (overlaps(&bank->blocks[i], base, bytes)) {
            base = bank->blocks[i].base + bank->blocks[i].bytes + HEADER_BYTES;
            i = UINT32_MAX; /* from the beginning */
        }
    }
    return base + bytes <= bank->low + bank->bytes ? base : 0;
}

static void *take(size_t alignment, size_t bytes) {
    void *found = NULL;
    pthread_mutex_lock(&heap_lock);
    allocations++;
    bool fails = allocations >= fail_first && allocations <= fail_last;
    for (uint32_t i = 0; i < BANKS && found == NULL && !fails; i++) {
        uintptr_t base = place_in(&banks[i], alignment, bytes);
        for (uint32_t k = 0; k < BLOCKS && base != 0 && found == NULL; k++) {
            if (banks[i].blocks[k].bytes == 0) {
                banks[i].blocks[k] = (struct block){.base = base, .bytes = bytes};
                found = (void *)base;
                ASAN_UNPOISON_MEMORY_REGION(found, bytes);
            }
        }
    }
    pthread_mutex_unlock(&heap_lock);
    return found;
}

void heap_caps_free(void *block) {
    if (block == NULL) {
        return;
    }
    bool found = false;
    pthread_mutex_lock(&heap_lock);
    for (uint32_t i = 0; i < BANKS * BLOCKS && !found; i++) {
        struct block *one = &banks[i / BLOCKS].blocks[i % BLOCKS];
        found = one->bytes > 0 && one->base == (uintptr_t)block;
        if (found) {
            ASAN_POISON_MEMORY_REGION(block, one->bytes);
            one->bytes = 0;
        }
    }
    pthread_mutex_unlock(&heap_lock);
    standin_check(found, "what is freed is no block of the heap");
}

void *heap_caps_aligned_alloc(size_t alignment, size_t bytes, uint32_t caps) {
    return (caps & MALLOC_CAP_SPIRAM) != 0 ? NULL : take(alignment, bytes);
}

void *pvPortMalloc(size_t bytes) { return take(8, bytes); }

void vPortFree(void *block) { heap_caps_free(block); }

size_t standin_heap_used(void) {
    size_t used = 0;
    pthread_mutex_lock(&heap_lock);
    for (uint32_t i = 0; i < BANKS * BLOCKS; i++) {
        used += banks[i / BLOCKS].blocks[i % BLOCKS].bytes;
    }
    pthread_mutex_unlock(&heap_lock);
    return used;
}

size_t heap_caps_get_free_size(uint32_t caps) {
    return (caps & MALLOC_CAP_SPIRAM) != 0 ? 0 : banks[0].bytes + banks[1].bytes - standin_heap_used();
}

size_t heap_caps_get_largest_free_block(uint32_t caps) {
    size_t largest = 0;
    if ((caps & MALLOC_CAP_SPIRAM) != 0) {
        return 0;
    }
    pthread_mutex_lock(&heap_lock);
    for (uint32_t i = 0; i < BANKS; i++) {
        size_t most = banks[i].bytes; /* by halving */
        size_t least = 0;
        while (most - least > 1U) {
            size_t middle = least + (most - least) / 2U;
            *(place_in(&banks[i], 8, middle) != 0 ? &least : &most) = middle;
        }
        largest = least > largest ? least : largest;
    }
    pthread_mutex_unlock(&heap_lock);
    return largest;
}

size_t heap_caps_get_total_size(uint32_t caps) {
    return (caps & MALLOC_CAP_SPIRAM) != 0 ? 0 : banks[0].bytes + banks[1].bytes;
}

/* ---- time ---- */

/* Nobody calls the hooks of the tick, so no counter may wrap: a program of a test has 13 s. */
static atomic_ullong cycles = 1000000000U;

/* Core 1's counter was started later: it is so far behind. */
#define BEHIND 12345678U

static uint64_t read_cycles(void) {
    standin_take_interrupts();
    return atomic_fetch_add(&cycles, READING_CYCLES) + READING_CYCLES;
}

uint64_t standin_cycles(void) { return atomic_load(&cycles); }

TickType_t xTaskGetTickCount(void) { return (TickType_t)(standin_cycles() / STANDIN_TICK_CYCLES); }

void standin_let_go_by(uint64_t until) {
    standin_check(until < UINT32_MAX, "a counter would wrap");
    if (until > atomic_load(&cycles)) {
        atomic_store(&cycles, until);
    }
}

uint32_t cpu_core(void) { return (uint32_t)portGET_CORE_ID(); }

uint32_t cpu_counter(void) { return (uint32_t)(read_cycles() - (cpu_core() == 1 ? BEHIND : 0)); }

uint32_t cpu_mask_and_read(uint32_t *core, uint32_t *counter) {
    uint32_t state = cpu_mask();
    *core = cpu_core();
    *counter = cpu_counter();
    return state;
}

void cpu_wait_for_memory(void) {}

uint32_t ccompare_0(void) { return (uint32_t)((standin_cycles() / STANDIN_TICK_CYCLES + 1U) * STANDIN_TICK_CYCLES); }

int64_t esp_timer_get_time(void) { return (int64_t)(read_cycles() / (HZ / 1000000U)); }

int standin_locks(void) {
    return taken(ESP_PM_CPU_FREQ_MAX) + taken(ESP_PM_APB_FREQ_MAX) + taken(ESP_PM_NO_LIGHT_SLEEP);
}

int esp_clk_cpu_freq(void) {
    standin_check(standin_locks() == ESP_PM_LOCK_MAX, "power management may change the rate that is asked for");
    return (int)HZ;
}

int esp_clk_apb_freq(void) { return 80000000; }

int esp_clk_xtal_freq(void) { return 40000000; }

static uint32_t hooks[2];
static uint32_t hooks_most = 8;

void standin_hooks(uint32_t most) { hooks_most = most; }

uint32_t standin_hooks_in_use(void) { return hooks[0] + hooks[1]; }

esp_err_t esp_register_freertos_tick_hook_for_cpu(esp_freertos_tick_cb_t hook, unsigned core) {
    (void)hook;
    if (hooks[0] + hooks[1] == hooks_most) {
        return ESP_ERR_NO_MEM;
    }
    hooks[core]++;
    return ESP_OK;
}

void esp_deregister_freertos_tick_hook_for_cpu(esp_freertos_tick_cb_t hook, unsigned core) {
    (void)hook;
    standin_check(hooks[core] > 0, "no such hook");
    hooks[core]--;
}

/* ---- the cross-core interrupt ---- */

/* As esp_system sends it, and as the handlers' table has who takes it; the kernel's has an argument. */
#define CROSS_CORE_NUMBER(core) (24U + (uint32_t)(core))

typedef struct {
    void (*call)(void *arg);
    void *arg;
} standin_entry_t;
standin_entry_t _xt_interrupt_table[XCHAL_NUM_INTERRUPTS * 2U] = {
    [24U * 2U] = {standin_cross_core_isr, _xt_interrupt_table},
    [25U * 2U + 1U] = {standin_cross_core_isr, _xt_interrupt_table},
};

uint32_t DPORT_REG_READ(uint32_t address) {
    return CROSS_CORE_NUMBER(address == DPORT_PRO_CPU_INTR_FROM_CPU_0_MAP_REG ? 0 : 1);
}

void esp_crosscore_int_send_yield(int core) { standin_interrupt(core); }

void standin_call_handler(int core) {
    standin_entry_t *entry = &_xt_interrupt_table[CROSS_CORE_NUMBER(core) * 2U + (uint32_t)core];
    entry->call(entry->arg);
}

/* ---- what the kernel did ---- */

#define DEEDS 65536U

static struct {
    int core;
    const char *macro;
    uint32_t object;
} deeds[DEEDS];
static uint32_t deed_count;

void standin_note(const char *macro, uint32_t object) {
    deeds[deed_count % DEEDS].core = portGET_CORE_ID();
    deeds[deed_count % DEEDS].macro = macro;
    deeds[deed_count++ % DEEDS].object = object;
}

void standin_did(void (*call)(int core, const char *macro, uint32_t object)) {
    standin_enter();
    for (uint32_t i = deed_count > DEEDS ? deed_count - DEEDS : 0; i < deed_count; i++) {
        call(deeds[i % DEEDS].core, deeds[i % DEEDS].macro, deeds[i % DEEDS].object);
    }
    standin_leave();
}

/* ---- what the chip is and says of itself ---- */

/* The board's own table is of words of 32 bits. */
const uintptr_t esp32_flash_words[131072U / sizeof(uintptr_t)] = {0};

void esp_chip_info(esp_chip_info_t *info) { info->revision = 301; }

const char *esp_get_idf_version(void) { return "stand-in"; }

esp_reset_reason_t esp_reset_reason(void) { return ESP_RST_POWERON; }

/* ---- a partition of a flash ---- */

static esp_partition_t partition;
static uint8_t content[4096];

void standin_partition(uint32_t bytes) { partition.size = bytes; }

const esp_partition_t *esp_partition_find_first(int type, int subtype, const char *label) {
    bool named = type == ESP_PARTITION_TYPE_DATA && subtype == ESP_PARTITION_SUBTYPE_ANY;
    return named && partition.size > 0 && strcmp(label, "intercore") == 0 ? &partition : NULL;
}

esp_err_t esp_partition_erase_range(const esp_partition_t *of, size_t offset, size_t size) {
    if (offset % 4096 != 0 || size % 4096 != 0 || offset + size > of->size) {
        return ESP_ERR_INVALID_STATE;
    }
    memset(content + offset, 0xff, size);
    return ESP_OK;
}

esp_err_t esp_partition_write(const esp_partition_t *of, size_t offset, const void *bytes, size_t size) {
    if (offset + size > of->size) {
        return ESP_ERR_INVALID_STATE;
    }
    for (size_t i = 0; i < size; i++) {
        content[offset + i] &= ((const uint8_t *)bytes)[i];
    }
    return ESP_OK;
}

esp_err_t esp_partition_read(const esp_partition_t *of, size_t offset, void *bytes, size_t size) {
    if (offset + size > of->size) {
        return ESP_ERR_INVALID_STATE;
    }
    memcpy(bytes, content + offset, size);
    return ESP_OK;
}

esp_err_t esp_flash_read(void *chip, void *buffer, uint32_t address, uint32_t length) {
    (void)chip;
    (void)address;
    memset(buffer, 0xff, length);
    return ESP_OK;
}

esp_err_t esp_flash_read_id(void *chip, uint32_t *id) {
    (void)chip;
    *id = 0;
    return ESP_OK;
}

esp_err_t esp_flash_get_physical_size(void *chip, uint32_t *bytes) {
    (void)chip;
    *bytes = 4U << 20U;
    return ESP_OK;
}

esp_err_t gpio_config(const gpio_config_t *config) {
    (void)config;
    return ESP_OK;
}

uint32_t REG_READ(uint32_t address) {
    (void)address;
    return 0;
}

void REG_WRITE(uint32_t address, uint32_t value) {
    (void)address;
    (void)value;
}

static uint32_t watchdog_ms = CONFIG_ESP_TASK_WDT_TIMEOUT_S * 1000U;

esp_err_t esp_task_wdt_reconfigure(const esp_task_wdt_config_t *config) {
    watchdog_ms = config->timeout_ms;
    return ESP_OK;
}

uint32_t standin_watchdog_ms(void) { return watchdog_ms; }

esp_err_t esp_task_wdt_status(void *task) {
    (void)task;
    return ESP_OK;
}
