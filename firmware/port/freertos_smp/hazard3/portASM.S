/* Traps and task switches of the port (portmacro.h)
 *
 * A task that does not run has a frame at its stack pointer, from which `resume` continues it. An interrupt stores only
 * those registers in it that the ABI lets functions change, and runs on its core's own stack. The rest is stored when
 * tasks are switched: by an interrupt at its end, or by vPortYield(), whose caller expects no more to be kept. */

/* struct xPortCore (portmacro.h) */
    .equ TASK_STACK,      0
    .equ INTERRUPT_STACK, 4
    .equ SWITCH,          8
    .equ TIMER,           12
    .equ HANDLERS,        16

/* The frame (port.c writes the first one of a task) */
    .equ FRAME,   128
    .equ RA,      0
    .equ A0,      16
    .equ S0,      64
    .equ MEPC,    112
    .equ MSTATUS, 116

    .equ MEINEXT, 0xbe4 /* DS 3.8.6.1.3: bit 31: none is pending; otherwise 4 × the number of the next interrupt */
    .equ MIE,     8     /* of mstatus */
    .equ MPP,     0x1800 /* of mstatus: machine mode */

/* Begins an interrupt: leaves the core's struct xPortCore in t0. */
    .macro enter
    addi  sp, sp, -FRAME
    sw    ra, RA(sp)
    sw    t0, 4(sp)
    sw    t1, 8(sp)
    sw    t2, 12(sp)
    sw    a0, A0(sp)
    sw    a1, A0+4(sp)
    sw    a2, A0+8(sp)
    sw    a3, A0+12(sp)
    sw    a4, A0+16(sp)
    sw    a5, A0+20(sp)
    sw    a6, A0+24(sp)
    sw    a7, A0+28(sp)
    sw    t3, 48(sp)
    sw    t4, 52(sp)
    sw    t5, 56(sp)
    sw    t6, 60(sp)
    csrr  t0, mscratch
    sw    sp, TASK_STACK(t0)
    lw    sp, INTERRUPT_STACK(t0)
    .endm

/* Stores the other registers in the frame at sp, except mepc and mstatus. */
    .macro store_kept
    sw    s0, S0(sp)
    sw    s1, S0+4(sp)
    sw    s2, S0+8(sp)
    sw    s3, S0+12(sp)
    sw    s4, S0+16(sp)
    sw    s5, S0+20(sp)
    sw    s6, S0+24(sp)
    sw    s7, S0+28(sp)
    sw    s8, S0+32(sp)
    sw    s9, S0+36(sp)
    sw    s10, S0+40(sp)
    sw    s11, S0+44(sp)
    .endm

    .section .text.vPortTraps, "ax"

/* The vectors: mtvec is this address + 1 (DS 3.8.4.2). */
    .balign 64
    .global vPortTraps
    .type vPortTraps, %function
vPortTraps:
    .option push
    .option norvc
    j     exception /* every exception */
    j     exception
    j     exception
    j     exception /* software interrupt: not used */
    j     exception
    j     exception
    j     exception
    j     timer
    j     exception
    j     exception
    j     exception
    j     external
    .option pop

timer:
    enter
    lw    t1, TIMER(t0)
    jalr  t1
    j     leave

external:
    enter
    csrr  a0, MEINEXT
    bltz  a0, leave
1:  csrr  t0, mscratch
    add   t0, t0, a0
    lw    t0, HANDLERS(t0)
    jalr  t0
    csrr  a0, MEINEXT
    bgez  a0, 1b

leave:
    csrr  t0, mscratch
    lw    t1, SWITCH(t0)
    lw    sp, TASK_STACK(t0)
    beqz  t1, resume_interrupted
    store_kept
    csrr  t1, mepc
    csrr  t2, mstatus
    sw    t1, MEPC(sp)
    sw    t2, MSTATUS(sp)

/* Switches from the task whose frame is at sp. */
switch:
    csrr  t0, mscratch
    sw    zero, SWITCH(t0)
    csrr  a0, mhartid
    la    t1, pxCurrentTCBs
    sh2add s0, a0, t1 /* the core's current task */
    lw    t1, (s0)
    sw    sp, (t1) /* a task's first member is its stack pointer */
    lw    sp, INTERRUPT_STACK(t0)
    call  vTaskSwitchContext
    lw    t1, (s0)
    lw    sp, (t1)

resume:
    lw    t0, MEPC(sp)
    lw    t1, MSTATUS(sp)
    csrw  mepc, t0
    csrw  mstatus, t1
    lw    s0, S0(sp)
    lw    s1, S0+4(sp)
    lw    s2, S0+8(sp)
    lw    s3, S0+12(sp)
    lw    s4, S0+16(sp)
    lw    s5, S0+20(sp)
    lw    s6, S0+24(sp)
    lw    s7, S0+28(sp)
    lw    s8, S0+32(sp)
    lw    s9, S0+36(sp)
    lw    s10, S0+40(sp)
    lw    s11, S0+44(sp)
resume_interrupted:
    lw    ra, RA(sp)
    lw    t0, 4(sp)
    lw    t1, 8(sp)
    lw    t2, 12(sp)
    lw    a0, A0(sp)
    lw    a1, A0+4(sp)
    lw    a2, A0+8(sp)
    lw    a3, A0+12(sp)
    lw    a4, A0+16(sp)
    lw    a5, A0+20(sp)
    lw    a6, A0+24(sp)
    lw    a7, A0+28(sp)
    lw    t3, 48(sp)
    lw    t4, 52(sp)
    lw    t5, 56(sp)
    lw    t6, 60(sp)
    addi  sp, sp, FRAME
    mret

/* An exception, or an interrupt that is not used, ends the program. */
exception:
    csrr  t0, mscratch
    lw    sp, INTERRUPT_STACK(t0)
    csrr  a0, mcause
    csrr  a1, mepc
    j     vPortException
    .size vPortTraps, . - vPortTraps

/* Switches to another task, and returns when this one runs again, with interrupts masked or not, as before. */
    .global vPortYield
    .type vPortYield, %function
vPortYield:
    csrrci t0, mstatus, MIE
    addi  sp, sp, -FRAME
    andi  t0, t0, MIE
    slli  t0, t0, 4 /* MPIE: mret unmasks if interrupts were not masked */
    li    t1, MPP
    or    t0, t0, t1
    sw    ra, MEPC(sp)
    sw    t0, MSTATUS(sp)
    store_kept
    j     switch
    .size vPortYield, . - vPortYield

/* Runs the first task of this core. Interrupts are masked until then. */
    .global vPortStartFirstTask
    .type vPortStartFirstTask, %function
vPortStartFirstTask:
    csrr  t0, mhartid
    la    t1, pxCurrentTCBs
    sh2add t1, t0, t1
    lw    t1, (t1)
    lw    sp, (t1)
    j     resume
    .size vPortStartFirstTask, . - vPortStartFirstTask
