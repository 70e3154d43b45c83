#include "rp2_cores.h"
#include "rp2_start.h"

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

/* The boot ROM, or a debugger, jumps here with any stack. Sets the global pointer, by which small variables are
 * addressed, and the stack pointer to the top of core 0's main stack. */
__attribute__((naked, section(".entry"))) void board_entry(void) {
    __asm volatile("    csrci mstatus, 8      \n" /* MIE */
                   "    .option push          \n"
                   "    .option norelax       \n"
                   "    la   gp, __global_pointer$ \n"
                   "    .option pop           \n"
                   "    la   sp, rp2_cores_stacks + " TEXT(CORES_STACK_BYTES) "\n"
                                                                              "    j    rp2_start_c      \n");
}

/* The image definition that the boot ROM looks for in the first 4 kB: an executable for RISC-V, entered at the image's
 * lowest address, which is that of board_entry() (DS 5.9.5.2) */
__attribute__((section(".image_definition"), used)) static const uint32_t image_definition[] = {
    0xffffded3U, 0x11010142U, 0x000001ffU, 0, 0xab123579U};
