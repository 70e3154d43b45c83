#include "stm32h745_mpu_table.h"

#include "stm32h745_memory_map.h"

#define RBAR_VALID (1U << 4U)
#define RASR_XN (1U << 28U)
#define RASR_AP(access) ((uint32_t)(access) << 24U)
#define RASR_TEX(type) ((uint32_t)(type) << 19U)
#define RASR_C (1U << 17U)
#define RASR_B (1U << 16U)
#define RASR_SRD(eighths) ((uint32_t)(eighths) << 8U)
#define RASR_SIZE(log2_bytes) (((uint32_t)(log2_bytes) - 1U) << 1U)
#define RASR_ENABLE 1U

/* Values of the AP field of RASR, with their effect on privileged code. All code of this firmware runs privileged. */
enum access { NO_ACCESS = 0, READ_WRITE = 3, READ_ONLY = 6 };

#define LOG2_LEAST 5U
#define LOG2_LEAST_WITH_PARTS 8U
#define LOG2_MOST 32U
#define NUMBERS 16U

static uint32_t attributes(enum stm32h745_mpu_kind kind) {
    switch (kind) {
    case MPU_CACHED:
        return RASR_XN | RASR_AP(READ_WRITE) | RASR_TEX(1) | RASR_C | RASR_B;
    case MPU_NOT_CACHED:
        return RASR_XN | RASR_AP(READ_WRITE) | RASR_TEX(1);
    case MPU_CODE:
        return RASR_AP(READ_ONLY) | RASR_TEX(0) | RASR_C;
    case MPU_FORBIDDEN:
    default:
        return RASR_XN | RASR_AP(NO_ACCESS); /* Strongly-ordered */
    }
}

bool stm32h745_mpu_entry_make(uint32_t number, uint32_t base, uint32_t log2_bytes, uint32_t subregions_off,
                              enum stm32h745_mpu_kind kind, struct stm32h745_mpu_entry *entry) {
    if (number >= NUMBERS || log2_bytes < LOG2_LEAST || log2_bytes > LOG2_MOST || subregions_off > 0xffU ||
        (subregions_off != 0 && log2_bytes < LOG2_LEAST_WITH_PARTS) ||
        (base & (uint32_t)((UINT64_C(1) << log2_bytes) - 1U)) != 0) {
        return false;
    }
    entry->rbar = base | RBAR_VALID | number;
    entry->rasr = attributes(kind) | RASR_SRD(subregions_off) | RASR_SIZE(log2_bytes) | RASR_ENABLE;
    return true;
}

static uint32_t log2_of(uint32_t bytes) {
    uint32_t log2_bytes = 0;
    while (bytes > 1U) {
        bytes /= 2U;
        log2_bytes++;
    }
    return log2_bytes;
}

void stm32h745_mpu_table_make(struct stm32h745_mpu_entry entries[MPU_ENTRIES]) {
    /* Region 0 forbids accesses to 0x60000000 to 0xdfffffff (four of its eight parts), the addresses of external
     * memories, which do not exist here. Without it the core could read there speculatively, and wait for a memory
     * controller without a memory (ST AN4838). The other regions cover the memory that is used. The shared windows come
     * last, because where regions overlap, the one with the higher number applies. */
    static const struct {
        uint32_t base;
        uint32_t bytes;
        enum stm32h745_mpu_kind kind;
    } regions[MPU_ENTRIES - 1U] = {
        {MEMORY_FLASH_BANK_1, 2U * MEMORY_FLASH_BANK_BYTES, MPU_CODE},
        {MEMORY_FLASH_STORAGE, MEMORY_FLASH_STORAGE_BYTES, MPU_NOT_CACHED},
        {MEMORY_AXI_SRAM, MEMORY_AXI_SRAM_BYTES, MPU_CACHED},
        {MEMORY_D1_WINDOW, MEMORY_D1_WINDOW_BYTES, MPU_NOT_CACHED},
        {MEMORY_D2_WINDOW, MEMORY_D2_WINDOW_BYTES, MPU_NOT_CACHED},
        {MEMORY_D3_WINDOW, MEMORY_D3_WINDOW_BYTES, MPU_NOT_CACHED},
    };
    (void)stm32h745_mpu_entry_make(0, 0, LOG2_MOST, 0x87, MPU_FORBIDDEN, &entries[0]);
    for (uint32_t i = 1; i < MPU_ENTRIES; i++) {
        (void)stm32h745_mpu_entry_make(i, regions[i - 1U].base, log2_of(regions[i - 1U].bytes), 0, regions[i - 1U].kind,
                                       &entries[i]);
    }
}
