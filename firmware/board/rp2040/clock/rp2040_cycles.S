/* port_cycles(). rp2040_cycles.h explains the method. The numbers in the comments here are cycles, as in
 * rp2040_clock.S. */
    .syntax unified
    .cpu    cortex-m0plus
    .thumb

    .equ SIO_CPUID, 0xd0000000
    .equ TIMERAWH,  0x40054024 /* TIMERAWL is the word after it */

    .section .clock_code.port_cycles, "ax"
    .balign 4
    .global port_cycles
    .type port_cycles, %function
port_cycles:
    push  {r4, lr}              /* 3 */
    ldr   r0, =TIMERAWH         /* 2 */
    ldr   r1, =rp2040_cycles_counters /* 2 */
    ldr   r4, =SIO_CPUID        /* 2 */
    mrs   r12, primask          /* 3 */
    cpsid i                     /* 1 */
    ldr   r4, [r4]              /* 1: the core */
    lsls  r4, r4, #4            /* 1 */
    adds  r4, r4, r1            /* 1: its struct cycles_counter */
    ldr   r3, [r4]              /* 2 */
port_cycles_reads:              /* a label for the simulator's probes */
    ldr   r3, [r3]              /* 4: p, the moment of the reading */
    ldm   r0!, {r1, r2}         /* 7: high, low */
    cmp   r2, #0                /* 1 */
    beq   port_cycles_wraps     /* 1 */
1:  msr   primask, r12          /* 3 */
    /* C × (high, low), in two pieces of 16 bits and one of 32 */
    movs  r0, #IC_CLOCK_MHZ     /* 1: C */
    muls  r1, r0                /* 1 */
    mov   r12, r1               /* 1: C × high */
    uxth  r1, r2                /* 1 */
    muls  r1, r0                /* 1: C × low 16 bits of low */
    lsrs  r2, r2, #16           /* 1 */
    muls  r2, r0                /* 1: C × high 16 bits of low */
    lsls  r0, r2, #16           /* 1 */
    lsrs  r2, r2, #16           /* 1 */
    adds  r0, r0, r1            /* 1: sets the carry */
    mov   r1, r12               /* 1: keeps the carry */
    adcs  r1, r2                /* 1 */
    /* plus the base, then up to the next number whose low 16 bits are p */
    ldr   r2, [r4, #8]          /* 2 */
    ldr   r4, [r4, #12]         /* 2 */
    adds  r0, r0, r2            /* 1 */
    adcs  r1, r4                /* 1 */
    subs  r3, r3, r0            /* 1 */
    uxth  r3, r3                /* 1 */
    movs  r2, #0                /* 1 */
    adds  r0, r0, r3            /* 1 */
    adcs  r1, r2                /* 1 */
port_cycles_returns:            /* a label for the probes */
    pop   {r4, pc}              /* 5 */
    /* If TIMERAWL has just wrapped, TIMERAWH is read again, as in rp2040_clock.S. */
port_cycles_wraps:
    subs  r0, #8
    ldr   r1, [r0]
    b     1b
    .ltorg
    .size port_cycles, . - port_cycles
