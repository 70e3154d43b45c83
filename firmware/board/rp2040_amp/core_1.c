/* The start of core 1's image, from its first instruction to its scheduler. Core 0 has already started the clocks and
 * cleared the shared memory. */
#include <stdint.h>

#include "port_amp.h"
#include "port_freertos.h"
#include "rp2040_cores.h"
#include "rp2040_cycles.h"
#include "rp2_image.h"
#include "rp2_start.h"

extern uint32_t board_bss[], board_bss_end[];

/* Initial stack pointer and entry, which core 0 passes to core 1's boot ROM. They are at the image's lowest address. */
extern const struct rp2040_first_words {
    uint32_t *stack;
    void (*entry)(void);
} rp2040_first_words;
__attribute__((section(".entry"), used))
const struct rp2040_first_words rp2040_first_words = {&rp2_cores_stacks[1][CORES_STACK_WORDS], board_entry};

/* Runs on the stack that rp2040_first_words names. Interrupts stay masked until the first task runs. */
void board_entry(void) {
    __asm volatile("cpsid i" ::: "memory");
    rp2_image_start_data();
    for (volatile uint32_t *word = board_bss; word < board_bss_end; word++) {
        *word = 0;
    }
    rp2_cores_vectors_start();
    rp2040_cycles_start(1, 0);
    port_amp_start_core_1();
}
