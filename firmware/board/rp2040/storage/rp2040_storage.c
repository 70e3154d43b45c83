/* Implements rp2_storage.h by the second-stage boot loader, with which an image in flash sets up the flash for its
 * code. */
#include "rp2040_registers.h"
#include "rp2_board.h"
#include "rp2_storage.h"

#define FLASH 0x10000000U

static uint32_t boot2[64];

/* boot2.S returns if it was called, but with other values in most registers. */
__attribute__((naked)) BOARD_IN_SRAM(rp2040_storage_boot2) static void call_boot2(void) {
    __asm volatile("    push {r4, r5, r6, r7, lr} \n"
                   "    mov  r4, r8               \n"
                   "    push {r4}                 \n"
                   "    ldr  r0, =%c0 + 1         \n"
                   "    blx  r0                   \n"
                   "    pop  {r4}                 \n"
                   "    mov  r8, r4               \n"
                   "    pop  {r4, r5, r6, r7, pc} \n"
                   "    .ltorg                    \n"
                   :
                   : "i"(boot2));
}

void (*rp2_storage_keep_reading(void))(void) {
    for (uint32_t i = 0; i < sizeof boot2 / sizeof boot2[0]; i++) {
        boot2[i] = REGISTER(FLASH + 4U * i);
    }
    return call_boot2;
}
