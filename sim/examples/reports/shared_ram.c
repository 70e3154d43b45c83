// Code, data and DMA in the same memory (raspberrypi/pico-sdk#2653 and #2654: a program that is copied to RAM logs on
// both cores while DMA runs; code outside of main RAM leaves its banks to the data). Each core writes a log; a DMA
// channel copies. With CURED, the two functions are fetched from SRAM4 and SRAM5.
#include "chip.h"

#define RESETS_RESET_CLEAR REGISTER(0x4000f000)
#define RESETS_RESET_DONE REGISTER(0x4000c008)
#define RESET_DMA (1u << 2)
#define DMA_READ_ADDR REGISTER(0x50000000)
#define DMA_WRITE_ADDR REGISTER(0x50000004)
#define DMA_TRANS_COUNT REGISTER(0x50000008)
#define DMA_CTRL_TRIG REGISTER(0x5000000c)

enum { ENTRIES = 1000, WORDS = 256 };

struct entry {
    uint32_t number, tick;
};

static struct entry log_0[WORDS / 2] __attribute__((aligned(4 * WORDS)));
static struct entry log_1[WORDS / 2];
static uint32_t copied[WORDS] __attribute__((aligned(4 * WORDS)));
static volatile uint32_t ready;

#ifdef CURED
#define ON_CORE_0 __attribute__((noinline, section(".sram4")))
#define ON_CORE_1 __attribute__((noinline, section(".sram5")))
#else // in SRAM0 to SRAM3, as all of an image for SRAM
#define ON_CORE_0 __attribute__((noinline))
#define ON_CORE_1 __attribute__((noinline))
#endif

#define WRITE(log)                                                                                                     \
    for (uint32_t i = 0; i < ENTRIES; i++) {                                                                           \
        struct entry *const entry = &log[i % (WORDS / 2)];                                                             \
        *(volatile uint32_t *)&entry->number = i;                                                                      \
        *(volatile uint32_t *)&entry->tick = SYST_CVR;                                                                 \
    }

ON_CORE_0 static void log_on_core_0(void){WRITE(log_0)}

ON_CORE_1 static void log_on_core_1(void) {
    ready = 1;
    for (;;) {
        WRITE(log_1)
    }
}

static void start_dma(void) {
    RESETS_RESET_CLEAR = RESET_DMA;
    while ((RESETS_RESET_DONE & RESET_DMA) == 0) {
    }
    DMA_READ_ADDR = (uint32_t)(uintptr_t)log_0;
    DMA_WRITE_ADDR = (uint32_t)(uintptr_t)copied;
    DMA_TRANS_COUNT = ~0u;
    DMA_CTRL_TRIG = 0x3fu << 15 | 1u << 10 | 10u << 6 | 1u << 5 | 1u << 4 | 2u << 2 | 1u; // both in rings of 1 kB
}

void example(void) {
    start_core_1(log_on_core_1);
    while (ready == 0) {
    }
    start_dma();
    const uint32_t before = SYST_CVR;
    log_on_core_0();
    print_number("cycles:", (before - SYST_CVR) & 0xffffff);
}
