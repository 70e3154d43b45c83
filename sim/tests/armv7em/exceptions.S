@ Runs random scripts of what changes exceptions (pending, enabled, priorities, masks, groups, floating point), a step of them
@ in the thread and one at each entry of a handler, and prints what each entry saw.
@
@ blob.bin: number of scripts; for each: number of steps, then each as kind, address, value.

    .syntax unified
    .cpu    cortex-m4
    .fpu    fpv4-sp-d16
    .thumb

    .equ OWN_STACK, 0x20004000
    .equ POSITION,  0x20004000          @ next step, and the end of the script
    .equ LIMIT,     0x20004004
    .equ LOGGED,    0x20004008          @ end of the log
    .equ LOG,       0x20004010
    .equ LINE,      0x20020000          @ text to print
    .equ SCB,       0xe000ed00
    .equ NVIC,      0xe000e100
    .include "semihosting.inc"

    .section .vectors, "a"
    .word OWN_STACK, reset, handler, fatal
    .rept 12 + 32
    .word handler
    .endr

    .text
    .thumb_func
    .global reset
reset:
    ldr  r0, =SCB
    mov  r1, #0xf << 20                 @ CPACR
    str  r1, [r0, #0x88]
    dsb
    isb
    ldr  r4, =blob
    ldr  r5, [r4], #4                   @ scripts to go
script:
    bl   clear
    ldr  r6, [r4], #4                   @ steps
    add  r6, r6, r6, lsl #1
    add  r6, r4, r6, lsl #2
    ldr  r0, =POSITION
    ldr  r1, =LOG
    strd r4, r6, [r0]
    str  r1, [r0, #8]
    mov  r4, r6
1:  bl   one_step
    ldr  r0, =POSITION
    ldrd r1, r2, [r0]
    cmp  r1, r2
    blo  1b
    cpsie if                            @ what is left
    mov  r0, #0
    msr  basepri, r0
    isb
    ldr  r7, =LOG
    ldr  r8, =LOGGED
    ldr  r8, [r8]
    ldr  r9, =LINE
2:  cmp  r7, r8
    bhs  4f
    ldr  r0, [r7], #4
    mov  r3, #8
3:  lsrs r1, r0, #28
    lsls r0, #4
    cmp  r1, #10
    ite  lo
    addlo r1, #'0'
    addhs r1, #'a' - 10
    strb r1, [r9], #1
    subs r3, #1
    bne  3b
    mov  r1, #' '
    strb r1, [r9], #1
    b    2b
4:  mov  r0, #'\n'
    strh r0, [r9]
    mov  r0, #SYS_WRITE0
    ldr  r1, =LINE
    bkpt 0xab
    subs r5, #1
    bne  script
    mov  r0, #SYS_EXIT
    ldr  r1, =0x20026
    bkpt 0xab

@ No interrupt enabled or pending, all priorities 0, one group, no floating-point context.
    .thumb_func
clear:
    ldr  r0, =NVIC
    mov  r1, #-1
    str  r1, [r0, #0x80]
    str  r1, [r0, #0x180]
    mov  r1, #0
    mov  r2, #32
1:  subs r2, #4
    add  r3, r0, r2
    str  r1, [r3, #0x300]
    bne  1b
    ldr  r0, =SCB
    str  r1, [r0, #0x18]
    str  r1, [r0, #0x1c]
    str  r1, [r0, #0x20]
    ldr  r1, =0x0a000000                @ ICSR: PENDSVCLR, PENDSTCLR
    str  r1, [r0, #4]
    ldr  r1, =0x05fa0000                @ AIRCR
    str  r1, [r0, #0xc]
    dsb
    isb
    mov  r1, #0
    msr  control, r1
    isb
    bx   lr

@ Notes number, LR, ICSR, BASEPRI, SP, FPCCR without MONRDY; then a step.
    .thumb_func
handler:
    push {r4, lr}
    ldr  r0, =LOGGED
    ldr  r1, [r0]
    mrs  r2, ipsr
    orr  r2, r2, lr, lsl #16
    str  r2, [r1], #4
    ldr  r3, =SCB
    ldr  r2, [r3, #4]
    str  r2, [r1], #4
    mrs  r2, basepri
    str  r2, [r1], #4
    str  sp, [r1], #4
    ldr  r2, [r3, #0x234]
    bic  r2, r2, #0x100
    str  r2, [r1], #4
    str  r1, [r0]
    bl   one_step
    pop  {r4, pc}

    .thumb_func
one_step:
    ldr  r0, =POSITION
    ldrd r1, r2, [r0]
    cmp  r1, r2
    it   hs
    bxhs lr
    ldr  r2, [r1], #4
    ldr  r3, [r1], #4
    ldr  r12, [r1], #4
    str  r1, [r0]
    tbb  [pc, r2]
1:  .byte (2f - 1b) / 2, (3f - 1b) / 2, (4f - 1b) / 2, (5f - 1b) / 2
    .byte (6f - 1b) / 2, (7f - 1b) / 2, (8f - 1b) / 2, (9f - 1b) / 2
2:  str  r12, [r3]
    b    settle
3:  strb r12, [r3]
    b    settle
4:  msr  basepri, r12
    b    settle
5:  msr  primask, r12
    b    settle
6:  mrs  r0, ipsr                       @ not in NMI, where QEMU lets it be set and the architecture does not
    cmp  r0, #2
    beq  settle
    msr  faultmask, r12
    b    settle
7:  msr  basepri_max, r12
    b    settle
8:  vmov s0, r12
    b    settle
9:  mrs  r0, ipsr                       @ SVC, in the thread, where nothing holds it back
    cmp  r0, #0
    bne  settle
    cpsie if
    msr  basepri, r0
    isb
    mrs  r0, basepri                    @ a handler that came now may have masked it again
    mrs  r1, primask
    orr  r0, r1
    mrs  r1, faultmask
    orrs r0, r1
    bne  settle
    svc  0
settle:
    dsb
    isb
    bx   lr

    .thumb_func
fatal:
    say_fault

    .align 2
blob:
    .incbin "blob.bin"
    .align 2
