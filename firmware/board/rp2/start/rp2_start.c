#include "rp2_start.h"

#include <stdint.h>

#include "chip.h"
#include "port_freertos.h"
#include "rp2_clocks.h"
#include "rp2_cores.h"
#include "rp2_image.h"

extern uint32_t board_bss[], board_bss_end[];
extern void (*board_constructors[])(void);
extern void (*board_constructors_end[])(void);

int main(void);

#define SPINLOCKS 32U
#define FILL_MARGIN 32U /* words of stack that fill() may use itself */

static void fill(uint32_t *from, const uint32_t *end, uint32_t word) {
    while (from < end) {
        *(volatile uint32_t *)from++ = word; /* volatile, so that the compiler does not call memset on this very
                                                stack */
    }
}

void rp2_start_c(void) {
    const uint32_t *stack_pointer;
    chip_cycles_begin();
    rp2_image_start_again_after_watchdog(); /* early: a reset before this line finds no image to start */
    __asm volatile(CHIP_MOVE_FROM_SP : "=r"(stack_pointer));
    fill(&rp2_cores_stacks[0][0], stack_pointer - FILL_MARGIN, START_STACK_UNUSED);
    fill(&rp2_cores_stacks[1][0], &rp2_cores_stacks[1][CORES_STACK_WORDS], START_STACK_UNUSED);
    rp2_image_start_data();
    fill(board_bss, board_bss_end, 0);
    rp2_cores_vectors_start();
    for (uint32_t i = 0; i < SPINLOCKS; i++) {
        spin_unlock_unsafe(spin_lock_instance(i)); /* a debugger may have stopped earlier firmware while it held some of
                                                      them */
    }
    rp2_clocks_start();
    for (void (**constructor)(void) = board_constructors; constructor < board_constructors_end; constructor++) {
        (*constructor)();
    }
    main();
    board_panic("main has returned", "", 0);
}
