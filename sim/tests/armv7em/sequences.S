@ Runs the random instruction sequences of `blob.bin` one after the other and prints the state each leaves behind: on QEMU's
@ boards with a Cortex-M4 and a Cortex-M7, and on the processors here. All that a sequence can see (its code, its data, its
@ stack) is at the same addresses.
@
@ blob.bin: number of sequences; for each: words of code, seed of the memory, S0 to S31, FPSCR, APSR, r0 to r12, lr, code.

    .syntax unified
    .cpu    cortex-m4
    .fpu    fpv4-sp-d16
    .thumb

    .equ CODE,      0x20000000
    .equ MEMORY,    0x20002000          @ compared after each sequence; generator.rs knows it
    .equ LOG,       MEMORY              @ of faults
    .equ STACK,     0x20002800          @ its end, and the top of the sequence's stack
    .equ OWN_STACK, 0x20003c00
    .equ OWN_SP,    0x20003ff8          @ where our stack pointer is kept meanwhile
    .equ LINE,      0x20004000          @ text to print
    .equ WORDS,     32 + 7 + 14         @ that `leave` pushes

    .equ SCB,       0xe000ed00
    .include "semihosting.inc"

    .section .vectors, "a"
    .word OWN_STACK, reset, fatal, skip, fatal, fatal, skip
    .rept 4
    .word fatal
    .endr
    .word supervisor_call
    .rept 4 + 32
    .word fatal
    .endr

    .text
    .thumb_func
    .global reset
reset:
    ldr  r0, =SCB
    mov  r1, #0xf << 20                 @ CPACR: all may use floating point
    str  r1, [r0, #0x88]
    mov  r1, #1 << 18                   @ SHCSR: UsageFault is enabled
    str  r1, [r0, #0x24]
    dsb
    isb
    ldr  r4, =blob
    ldr  r5, [r4], #4                   @ sequences to go
next:
    ldrd r6, r7, [r4], #8               @ words of code, seed
    ldr  r0, =MEMORY
    ldr  r1, =STACK
1:  eor  r7, r7, r7, lsl #13            @ xorshift32
    eor  r7, r7, r7, lsr #17
    eor  r7, r7, r7, lsl #5
    str  r7, [r0], #4
    cmp  r0, r1
    bne  1b

    mov  r7, r4                         @ registers
    add  r4, r4, #(32 + 2 + 14) * 4
    ldr  r0, =CODE
1:  ldr  r1, [r4], #4
    str  r1, [r0], #4
    subs r6, #1
    bne  1b
    ldr  r2, =leave
    ldr  r3, =leave_end
1:  ldr  r1, [r2], #4
    str  r1, [r0], #4
    cmp  r2, r3
    bne  1b
    dsb
    isb

    push {r4, r5}
    ldr  r1, =OWN_SP
    str  sp, [r1]
    ldr  sp, =STACK
    ldr  r0, =CODE + 1
    str  r0, [sp, #-4]!
    mov  r0, #0
    msr  psp, r0
    vldmia r7!, {s0-s31}
    ldrd r0, r1, [r7], #8
    vmsr fpscr, r0
    ldr  lr, [r7, #13 * 4]
    msr  apsr_nzcvqg, r1
    mov  r0, r7
    ldm  r0, {r0-r12}
    pop  {pc}

@ Copied behind each sequence.
    .align 2
leave:
    push {r0-r12, lr}
    mrs  r0, apsr
    mrs  r1, primask
    mrs  r2, basepri
    mrs  r3, faultmask
    mrs  r4, control
    vmrs r5, fpscr
    mov  r6, sp
    push {r0-r6}
    vpush {s0-s31}
    ldr.w r0, 1f
    bx   r0
    .align 2
1:  .word back
leave_end:

@ Print: S0 to S31, APSR, PRIMASK, BASEPRI, FAULTMASK, CONTROL, FPSCR, SP, r0 to r12, LR; a hash of the memory with the stack.
    .thumb_func
back:
    cpsie if
    mov  r0, #0
    msr  basepri, r0
    mov  r5, sp
    ldr  r0, =OWN_SP
    ldr  sp, [r0]
    ldr  r4, =LINE
    mov  r6, #WORDS
1:  ldr  r0, [r5], #4
    bl   put_word
    subs r6, #1
    bne  1b
    ldr  r1, =MEMORY
    ldr  r2, =STACK
    mov  r0, #0
    ldr  r5, =0x01000193                @ FNV-1a, by words, with a rotation so that all bits count
1:  ldr  r3, [r1], #4
    eor  r0, r3
    mul  r0, r0, r5
    ror  r0, r0, #13
    cmp  r1, r2
    bne  1b
    bl   put_word
    mov  r0, #'\n'
    strh r0, [r4]
    mov  r0, #SYS_WRITE0
    ldr  r1, =LINE
    bkpt 0xab
    pop  {r4, r5}
    subs r5, #1
    bne  next
    mov  r0, #SYS_EXIT
    ldr  r1, =0x20026                   @ ADP_Stopped_ApplicationExit
    bkpt 0xab

@ Puts r0 in hex and a space at r4; changes r0 to r3.
    .thumb_func
put_word:
    mov  r3, #8
1:  lsrs r1, r0, #28
    lsls r0, #4
    cmp  r1, #10
    ite  lo
    addlo r1, #'0'
    addhs r1, #'a' - 10
    strb r1, [r4], #1
    subs r3, #1
    bne  1b
    mov  r1, #' '
    strb r1, [r4], #1
    bx   lr

@ The frame on the stack is compared. Of an odd number, floating point is used, so that its part is saved.
    .thumb_func
supervisor_call:
    ldr  r0, [sp, #24]
    ldrb r0, [r0, #-2]
    lsls r0, #31
    it   mi
    vmovmi s0, r0
    bx   lr

@ UsageFault: notes its status, and goes on behind the instruction. An IT block ends here.
    .thumb_func
skip:
    ldr  r0, [sp, #24]
    ldrh r1, [r0]
    lsrs r1, #11
    cmp  r1, #0x1d
    ite  hs
    addhs r0, #4
    addlo r0, #2
    str  r0, [sp, #24]
    ldr  r0, =SCB
    ldr  r1, [r0, #0x28]                @ CFSR
    str  r1, [r0, #0x28]
    ldr  r2, [r0, #0x2c]                @ HFSR
    str  r2, [r0, #0x2c]
    ldr  r0, =LOG
    ldr  r3, [r0]
    eor  r3, r1, r3, ror #5
    eor  r3, r3, r2
    str  r3, [r0]
    bx   lr

    .thumb_func
fatal:
    say_fault

    .align 2
blob:
    .incbin "blob.bin"
    .align 2
