#include "rp2040_start.h"

#include <stdint.h>

#include "hardware/sync.h"
#include "port_freertos.h"
#include "rp2040_clocks.h"
#include "rp2040_cores.h"
#include "rp2040_cycles.h"
#include "rp2040_image.h"
#include "rp2040_registers.h"

extern uint32_t board_bss[], board_bss_end[];
extern void (*board_constructors[])(void);
extern void (*board_constructors_end[])(void);

int main(void);
void rp2040_start_c(void);

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

#define SPINLOCKS 32U
#define FILL_MARGIN 32U /* words of stack that fill() may use itself */

/* The boot ROM jumps here with a stack at the end of SRAM (DS 2.8.1.1); a debugger may do so with any stack. Selects
 * the main stack for thread mode, and sets the stack pointer to the top of core 0's main stack. */
__attribute__((naked, section(".entry"))) void board_entry(void) {
    __asm volatile("    cpsid i               \n"
                   "    movs r0, #0           \n"
                   "    msr  control, r0      \n"
                   "    isb                   \n"
                   "    ldr  r0, =rp2040_cores_stacks + " TEXT(CORES_STACK_BYTES) "\n"
                                                                                  "    mov  sp, r0           \n"
                                                                                  "    ldr  r0, =rp2040_start_c  \n"
                                                                                  "    bx   r0               \n"
                                                                                  "    .ltorg                \n");
}

static void fill(uint32_t *from, const uint32_t *end, uint32_t word) {
    while (from < end) {
        *(volatile uint32_t *)from++ = word; /* volatile, so that the compiler does not call memset on this very
                                                stack */
    }
}

void rp2040_start_c(void) {
    const uint32_t *stack_pointer;
    rp2040_cycles_begin();
    rp2040_image_start_again_after_watchdog(); /* early: a reset before this line finds no image to start */
    __asm volatile("mov %0, sp" : "=r"(stack_pointer));
    fill(&rp2040_cores_stacks[0][0], stack_pointer - FILL_MARGIN, START_STACK_UNUSED);
    fill(&rp2040_cores_stacks[1][0], &rp2040_cores_stacks[1][CORES_STACK_WORDS], START_STACK_UNUSED);
    rp2040_image_start_data();
    fill(board_bss, board_bss_end, 0);
    rp2040_cores_vectors_start();
    for (uint32_t i = 0; i < SPINLOCKS; i++) {
        spin_unlock_unsafe(spin_lock_instance(i)); /* a debugger may have stopped earlier firmware while it held some of
                                                      them */
    }
    rp2040_clocks_start();
    for (void (**constructor)(void) = board_constructors; constructor < board_constructors_end; constructor++) {
        (*constructor)();
    }
    main();
    board_panic("main has returned", "", 0);
}
