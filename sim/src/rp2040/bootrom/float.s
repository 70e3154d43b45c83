@ The floating-point library of bootrom.s. What it computes is in float.rs.

@ A floating-point function: the simulator computes it and leaves in R12 how long it waits, in turns of 3 cycles (13 are
@ spent beside them). Registers are kept but for results and R12; the flags tell how R0 compares with 0, as _fcmp has it.
    .macro float_function kind, number, first
    service \kind\()_\number, \first + \number
    .if (\first + \number) / 2 == 2
    b    float_soon
    .else
    b    \kind\()_wait
    .endif
    .endm
    .macro float_wait kind
\kind\()_wait:
    push {r4, lr}
    mov  r4, r12
1:  subs r4, #1
    bne  1b
    cmp  r0, #0
    pop  {r4, pc}
    .endm

@ Floating point, single precision: from float_start to float_end and with the table all of it can be copied to SRAM.
    .align 2
float_start:
    .set number, 0
    .rept 32
    float_function float, %number, 0
    .set number, number + 1
    .endr
    float_wait float
float_soon:                                 @ _fcmp_fast and its flags take no longer
    .rept 6
    nop
    .endr
    cmp  r0, #0
    bx   lr
    .align 2
float_end:

@ Double precision: alike.
double_start:
    .set number, 0
    .rept 32
    float_function double, %number, 32
    .set number, number + 1
    .endr
    float_wait double
    .align 2
double_end:
