/* The first instructions of a core. IC_CORE says which core it is. IC_SUPPLY_CR3 is what PWR_CR3 must contain
 * (stm32h745_clock_plan.h). */
    .syntax unified
    .thumb

/* RM is the reference manual RM0399. */
    .equ PWR_CSR1, 0x58024804        /* RM 7.8.2 */
    .equ PWR_CSR1_ACTVOSRDY, 1 << 13
    .equ PWR_CR3, 0x5802480c         /* RM 7.8.4 */
    .equ PWR_CR3_SUPPLY, 0x3f
    .equ RCC_AHB2ENR, 0x580244dc     /* RM 9.7; each core finds its own register here */
    .equ RCC_AHB2ENR_SRAM123EN, 0xe0000000
    .equ RCC_AHB4ENR, 0x580244e0
    .equ RCC_AHB4ENR_HSEMEN, 1 << 25
    .equ HSEM_R0, 0x58026400         /* RM 11.4.1; the gate, stm32h745_semaphores.h */
    .equ GATE_OPEN, 0x80000300       /* taken by core 0 */
    .equ GATE_PASSED, 0x80000100     /* taken by core 1 */
    .equ HSEM_PASSED, 4 * 4          /* offset of HSEM_R4 from HSEM_R0 */
    .equ HSEM_RLR_PASSED, 0x80 + 4 * 4 /* RM 11.4.2 */

/* After power-on no RAM may be written, not even the stack, until the supply is configured and its voltage is valid (RM
 * 7.4.1, Run* mode). So this code uses no stack and makes no call. */
    .section .text.board_entry, "ax"
    .global board_entry
    .type board_entry, %function
    .thumb_func
board_entry:
    cpsid i
#if IC_CORE == 0
    /* Supply of the core. The lower bits of PWR_CR3 can be written only once after power-on; other resets do not change
     * that. If they have been written before, their value stays, and stm32h745_clocks_start() checks it. */
    ldr   r0, =PWR_CR3
    ldr   r1, [r0]
    and   r2, r1, #PWR_CR3_SUPPLY
    cmp   r2, #IC_SUPPLY_CR3
    beq   1f
    bic   r1, r1, #PWR_CR3_SUPPLY
    orr   r1, r1, #IC_SUPPLY_CR3
    str   r1, [r0]
    dsb
1:
#endif
    ldr   r0, =PWR_CSR1
2:  ldr   r1, [r0]
    tst   r1, #PWR_CSR1_ACTVOSRDY
    beq   2b
#if IC_CORE == 0
    /* The SRAMs of D2 belong to core 1 (RM 9.5.9; its own enable bits are reserved, RM 9.7.41). Core 0 must enable its
     * access to them. */
    ldr   r0, =RCC_AHB2ENR
    ldr   r1, [r0]
    orr   r1, r1, #RCC_AHB2ENR_SRAM123EN
    str   r1, [r0]
    ldr   r1, [r0] /* the write has taken effect when this read returns */
#endif
    ldr   r0, =RCC_AHB4ENR
    ldr   r1, [r0]
    orr   r1, r1, #RCC_AHB4ENR_HSEMEN
    str   r1, [r0]
    ldr   r1, [r0]
#if IC_CORE == 1
    /* The option byte BCM4 may have started this core together with core 0. So the core waits here until core 0 has
     * opened the gate: then the clocks run and the shared memory is clear. HSEM_R is read and not HSEM_RLR, because a
     * read of the latter would take the semaphore. */
    ldr   r0, =HSEM_R0
    ldr   r2, =GATE_OPEN
3:  ldr   r1, [r0]
    cmp   r1, r2
    bne   3b
    /* Core 1 may pass only once: it takes a semaphore when it passes. If core 1 alone is reset, which a debugger can
     * do, it finds the semaphore taken and stays here, because the state that it shared with core 0 is lost. Core 0
     * then notices that core 1's ticks have stopped. */
    ldr   r2, =GATE_PASSED
4:  ldr   r1, [r0, #HSEM_PASSED]
    cmp   r1, r2
    beq   4b
    ldr   r1, [r0, #HSEM_RLR_PASSED]
#endif
    movs  r0, #0
    msr   control, r0 /* privileged mode and main stack, in case a debugger has started the core in another way */
    isb
    ldr   r0, =board_stack_top
    mov   sp, r0
    ldr   r0, =stm32h745_start_c
    bx    r0
    .ltorg
    .size board_entry, . - board_entry

/* Bit 2 of EXC_RETURN tells which stack holds the exception frame (ARMv7-M B1.5.8). */
    .section .text.stm32h745_start_fault, "ax"
    .global stm32h745_start_fault
    .type stm32h745_start_fault, %function
    .thumb_func
stm32h745_start_fault:
    tst   lr, #4
    ite   eq
    mrseq r0, msp
    mrsne r0, psp
    ldr   r1, =stm32h745_start_fault_at
    bx    r1
    .ltorg
    .size stm32h745_start_fault, . - stm32h745_start_fault
