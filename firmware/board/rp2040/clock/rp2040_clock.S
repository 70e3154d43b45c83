/* port_clock(). rp2040_clock.h explains the method. The numbers in the comments here are cycles (Cortex-M0+ TRM 3.3; a
 * read of APB takes 4 cycles, DS 2.1.3). */
    .syntax unified
    .cpu    cortex-m0plus
    .thumb

    .equ PWM_CH0_CTR, 0x40050008
    .equ TIMERAWH,    0x40054024 /* TIMERAWL is the word after it */

    .section .clock_code.port_clock, "ax"
    .balign 4
    .global port_clock
    .type port_clock, %function
port_clock:
    ldr   r0, =PWM_CH0_CTR  /* 2 */
    mrs   r12, primask      /* 3 */
    cpsid i                 /* 1 */
port_clock_reads:           /* a label for the simulator's probes */
    ldr   r3, [r0]          /* 4: p, the moment of the reading */
    ldr   r0, =TIMERAWH     /* 2 */
    ldm   r0!, {r1, r2}     /* 7: high, low */
    cmp   r2, #0            /* 1 */
    beq   port_clock_wraps  /* 1 */
1:  msr   primask, r12      /* 3 */
    /* C × (high, low), in two pieces of 16 bits and one of 32 */
    movs  r0, #IC_CLOCK_MHZ /* 1: C */
    muls  r1, r0            /* 1 */
    mov   r12, r1           /* 1: C × high */
    uxth  r1, r2            /* 1 */
    muls  r1, r0            /* 1: a = C × low 16 bits of low, whose low 16 bits are those of the product */
    lsrs  r2, r2, #16       /* 1 */
    muls  r2, r0            /* 1: b = C × high 16 bits of low */
    /* then up to the next number whose low 16 bits are p */
    subs  r3, r3, r1        /* 1 */
    uxth  r3, r3            /* 1: (p - a) modulo 65536 */
    adds  r1, r1, r3        /* 1: below 2^24 */
    lsls  r0, r2, #16       /* 1 */
    lsrs  r2, r2, #16       /* 1 */
    adds  r0, r0, r1        /* 1: sets the carry */
    mov   r1, r12           /* 1: keeps the carry */
    adcs  r1, r2            /* 1 */
port_clock_returns:         /* a label for the probes */
    bx    lr                /* 2 */
    /* TIMERAWL reads 0, as it does for a microsecond in 71 minutes. It may have wrapped in the cycle or two since
     * TIMERAWH was read, so TIMERAWH is read again. */
port_clock_wraps:
    subs  r0, #8
    ldr   r1, [r0]
    b     1b
    .ltorg
    .size port_clock, . - port_clock
