#include "rp2040_fault.h"

#include <stdint.h>

#include "port_freertos.h"

void rp2040_fault_at(const uint32_t *frame);

void rp2040_fault_at(const uint32_t *frame) { board_panic("a fault of the instruction at", "", frame[6]); }

/* Passes the exception frame to rp2040_fault_at(). Bit 2 of EXC_RETURN tells which stack holds the frame: 0 for the
 * main stack, 1 for the process stack (ARMv6-M B1.5.6). */
__attribute__((naked)) void rp2040_fault_hard(void) {
    __asm volatile("    mov  r1, lr           \n"
                   "    movs r2, #4           \n"
                   "    mrs  r0, msp          \n"
                   "    tst  r1, r2           \n"
                   "    beq  1f               \n"
                   "    mrs  r0, psp          \n"
                   "1:  ldr  r1, =rp2040_fault_at \n"
                   "    bx   r1               \n"
                   "    .ltorg                \n");
}
