@ Runs the random instruction sequences of `blob.bin` one after the other and prints the state each leaves behind.
@ All that a sequence can see (its code, its data, its stack) is at the same addresses on QEMU and on the RP2040.
@
@ blob.bin: number of sequences; for each: words of code, seed of the memory, r0 to r12, lr, APSR, code.

    .syntax unified
    .cpu    cortex-m0
    .thumb

    .equ CODE,      0x20000000
    .equ MEMORY,    0x20002000          @ compared after each sequence; generator.rs knows it
    .equ STACK,     0x20002300          @ its end, and the top of the sequence's stack
    .equ OWN_STACK, 0x20003c00
    .equ OWN_SP,    0x20003ff8          @ where our stack pointer is kept meanwhile
    .equ LINE,      0x20003d00          @ text to print

    .include "semihosting.inc"

    .section .vectors, "a"
    .word OWN_STACK, reset, fault, fault
    .rept 7
    .word fault
    .endr
    .word supervisor_call
    .rept 4 + 32
    .word fault
    .endr

    .text
    .thumb_func
    .global reset
reset:
    ldr  r4, =blob
    ldmia r4!, {r5}                     @ sequences to go
next:
    ldmia r4!, {r6, r7}                 @ words of code, seed
    ldr  r0, =MEMORY
    ldr  r1, =STACK
1:  lsls r2, r7, #13                    @ xorshift32
    eors r7, r2
    lsrs r2, r7, #17
    eors r7, r2
    lsls r2, r7, #5
    eors r7, r2
    stmia r0!, {r7}
    cmp  r0, r1
    bne  1b

    mov  r7, r4                         @ registers
    adds r4, #15 * 4
    ldr  r0, =CODE
1:  ldmia r4!, {r1}
    stmia r0!, {r1}
    subs r6, #1
    bne  1b
    ldr  r2, =leave
    ldr  r3, =leave_end
1:  ldmia r2!, {r1}
    stmia r0!, {r1}
    cmp  r2, r3
    bne  1b

    push {r4, r5}
    mov  r0, sp
    ldr  r1, =OWN_SP
    str  r0, [r1]
    ldr  r0, =STACK
    msr  psp, r0
    subs r0, #4
    ldr  r1, =CODE + 1
    str  r1, [r0]
    mov  sp, r0
    ldr  r0, [r7, #8 * 4]
    mov  r8, r0
    ldr  r0, [r7, #9 * 4]
    mov  r9, r0
    ldr  r0, [r7, #10 * 4]
    mov  r10, r0
    ldr  r0, [r7, #11 * 4]
    mov  r11, r0
    ldr  r0, [r7, #12 * 4]
    mov  r12, r0
    ldr  r0, [r7, #13 * 4]
    mov  lr, r0
    ldr  r0, [r7, #14 * 4]
    msr  apsr_nzcvq, r0
    ldmia r7!, {r0-r6}
    ldr  r7, [r7]
    pop  {pc}

@ Copied behind each sequence.
    .align 2
leave:
    push {r0-r7, lr}
    mrs  r0, apsr
    mov  r1, r8
    mov  r2, r9
    mov  r3, r10
    mov  r4, r11
    mov  r5, r12
    mrs  r6, primask
    mrs  r7, psp
    push {r0-r7}
    ldr  r0, 1f
    bx   r0
    .align 2
1:  .word back
leave_end:

@ Print: APSR, r8 to r12, PRIMASK, PSP, r0 to r7, LR; SP; a hash of the memory with the stack.
    .thumb_func
back:
    cpsie i
    mov  r5, sp
    ldr  r0, =OWN_SP
    ldr  r0, [r0]
    mov  sp, r0
    push {r5}
    ldr  r4, =LINE
    movs r6, #17
1:  ldmia r5!, {r0}
    bl   put_word
    subs r6, #1
    bne  1b
    pop  {r0}
    bl   put_word
    ldr  r1, =MEMORY
    ldr  r2, =STACK
    movs r0, #0
    ldr  r5, =0x01000193                @ FNV-1a, by words, with a rotation so that all bits count
    movs r6, #13
1:  ldmia r1!, {r3}
    eors r0, r3
    muls r0, r5
    rors r0, r6
    cmp  r1, r2
    bne  1b
    bl   put_word
    movs r0, #'\n'
    strb r0, [r4]
    movs r0, #0
    strb r0, [r4, #1]
    movs r0, #SYS_WRITE0
    ldr  r1, =LINE
    bkpt 0xab
    pop  {r4, r5}
    subs r5, #1
    beq  1f
    b    next
1:  movs r0, #SYS_EXIT
    ldr  r1, =0x20026                   @ ADP_Stopped_ApplicationExit
    bkpt 0xab

@ Puts r0 in hex and a space at r4; changes r0 to r3.
    .thumb_func
put_word:
    movs r3, #8
1:  lsrs r1, r0, #28
    lsls r0, #4
    cmp  r1, #10
    blo  2f
    adds r1, #'a' - '0' - 10
2:  adds r1, #'0'
    strb r1, [r4]
    adds r4, #1
    subs r3, #1
    bne  1b
    movs r1, #' '
    strb r1, [r4]
    adds r4, #1
    bx   lr

@ The frame on the stack is what is compared.
    .thumb_func
supervisor_call:
    bx   lr

    .thumb_func
fault:
    say_fault

    .align 2
blob:
    .incbin "blob.bin"
    .align 2
