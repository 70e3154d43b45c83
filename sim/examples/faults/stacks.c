// Programs whose stacks are too small, or written to by the other core, one for each definition.
#include "../chip.h"

static volatile uint32_t sink, depth = 1;
static uint32_t heap[1024]; // below the stack of core 0 in SRAM4, as a linker may place it
static uint32_t *volatile pointer;

__attribute__((noipa)) static uint32_t recurse(uint32_t levels) {
    volatile uint32_t frame[16];
    frame[levels & 15] = levels;
    return levels == 0 ? frame[0] : recurse(levels - 1) + frame[levels & 15];
}

__attribute__((noipa)) static void large_frame(void) {
    volatile uint8_t buffer[6000];
    for (uint32_t i = 0; i < sizeof buffer; i += 64) {
        buffer[i] = (uint8_t)i;
    }
    sink += buffer[0];
}

__attribute__((noipa)) static void work_on_core_1(void) {
#ifdef OVERFLOW
    sink += recurse(60);
#elif defined(LARGE_FRAME)
    large_frame();
#else
    sink += recurse(10);
#endif
    depth = 0;
    for (;;) {
    }
}

void example(void) {
    sink += heap[0];
    start_core_1(work_on_core_1);
    while (depth != 0) {
    }
#ifdef FOREIGN
    pointer = (uint32_t *)0x20041c00;
    *pointer = 1;
#endif
    (void)large_frame;
    (void)recurse;
    (void)pointer;
}
