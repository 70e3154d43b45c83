#include "rp2_cores.h"
#include "rp2_start.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

/* The boot ROM jumps here with a stack at the end of SRAM (DS 2.8.1.1); a debugger may do so with any stack. Selects
 * the main stack for thread mode, and sets the stack pointer to the top of core 0's main stack. */
__attribute__((naked, section(".entry"))) void board_entry(void) {
    __asm volatile("    cpsid i               \n"
                   "    movs r0, #0           \n"
                   "    msr  control, r0      \n"
                   "    isb                   \n"
                   "    ldr  r0, =rp2_cores_stacks + " TEXT(CORES_STACK_BYTES) "\n"
                                                                               "    mov  sp, r0           \n"
                                                                               "    ldr  r0, =rp2_start_c     \n"
                                                                               "    bx   r0               \n"
                                                                               "    .ltorg                \n");
}
