/* port_clock() and port_cycles(). rp2350_clock.h and rp2350_cycles.h explain the methods. */
    .equ SIO,    0xd0000000
    .equ MTIME,  0x1b0
    .equ MTIMEH, 0x1b4

    .section .clock_code.port_clock, "ax"
    .balign 4
    .global port_clock
    .type port_clock, %function
port_clock:
    lui   a2, SIO >> 12
    lw    a1, MTIMEH(a2)
port_clock_reads:  /* a label for the simulator's probes */
    lw    a0, MTIME(a2)
    lw    a3, MTIMEH(a2)
    bne   a1, a3, 1f
port_clock_returns:  /* a label for the probes */
    ret
    /* The low half has wrapped since the first read. */
1:  mv    a1, a3
    li    a0, 0
    ret
    .size port_clock, . - port_clock

    .section .clock_code.port_cycles, "ax"
    .balign 4
    .global port_cycles
    .type port_cycles, %function
port_cycles:
1:  csrr  a1, mcycleh
port_cycles_reads:
    csrr  a0, mcycle
    csrr  a2, mcycleh
    bne   a1, a2, 1b /* the low half has wrapped, or the task has moved to the other core */
port_cycles_returns:
    ret
    .size port_cycles, . - port_cycles
