/* The second-stage boot loader. The boot ROM copies it from the first 256 bytes of flash to the end of SRAM and runs it
 * there (DS 2.8.1.3). It sets up the Pico's flash, a W25Q16JV, and the serial interface in front of the flash (SSI, DS
 * 4.10) for execution in place. Then it starts the image through the vectors that follow these 256 bytes.
 *
 * Reads use the fastest mode, Fast Read Quad I/O (EBh) in continuous mode: the flash takes the next address without the
 * command ("W25Q16JV" below is its data sheet, revision H, 8.2.13). A 32-bit word takes 8 clocks of address and mode, 4
 * of waiting and 8 of data. The serial clock is clk_sys / 2, at most 66.5 MHz; the flash permits 133 MHz at 3.0 V or
 * more.
 *
 * If it was called, it returns instead, with other values in r0 to r8: so a program sets up the flash again after it
 * has written to it (rp2040_storage.c). The boot ROM starts it with 0 in lr.
 *
 * The code has at most 252 bytes and runs at any address. The build appends its checksum (boot2.cmake). */
    .syntax unified
    .cpu    cortex-m0plus
    .thumb

    .equ DIVIDER, 2 /* even (DS 4.10.13, BAUDR) */

    .equ SSI,            0x18000000 /* DS 4.10.13 */
    .equ   CTRLR0,       0x00
    .equ   CTRLR1,       0x04
    .equ   SSIENR,       0x08
    .equ   SER,          0x10
    .equ   BAUDR,        0x14
    .equ   SR,           0x28
    .equ     SR_BUSY,    1 << 0
    .equ     SR_TFE,     1 << 2
    .equ   DR0,          0x60
    .equ SSI_HIGH,       0x180000f0
    .equ   RX_SAMPLE_DLY, 0x00
    .equ   SPI_CTRLR0,   0x04

    .equ FRAME_8,        7 << 16              /* CTRLR0: frames of 7 + 1 bits; one lane; sends and receives */
    .equ QUAD_READ,      2 << 21 | 31 << 16 | 3 << 8 /* four lanes, 32 bits; sends a command, then reads */
    .equ ADDRESS_MODE,   8 << 2               /* SPI_CTRLR0: 32 bits of address and mode, in units of 4 */
    .equ WAIT_4,         4 << 11
    .equ COMMAND_8,      2 << 8               /* 8 bits of command before the address … */
    .equ ONE_LANE_COMMAND, 1                  /* … on one lane, the address on four lanes */
    .equ NO_COMMAND,     2                    /* no command, the address on four lanes */

    .equ READ_QUAD,      0xeb                 /* W25Q16JV 8.1.2 */
    .equ CONTINUOUS,     0xa0                 /* mode bits M5-4 = 10: the next read has no command (8.2.13) */
    .equ READ_STATUS_2,  0x35
    .equ WRITE_STATUS_2, 0x31
    .equ   QUAD_ENABLE,  1 << 1
    .equ ENABLE_VOLATILE, 0x50                /* the next write of a status register lasts until power-off (8.2.2) */

    .equ PADS_QSPI_SCLK, 0x40020004           /* DS 2.19.6.4; the pads of SD0 to SD3 follow */
    .equ   SCLK_FAST,    2 << 4 | 1           /* 8 mA, fast slew rate; output only */
    .equ   SCHMITT,      1 << 1

    .equ XIP_CTRL,       0x14000000           /* DS 2.6.3.6 */
    .equ   ERR_BADWRITE, 1 << 1               /* the other bits are 0, also EN (the cache) */
    .equ VECTORS,        0x10000100
    .equ VTOR,           0xe000ed08

    .section .text, "ax"
    .global boot2
    .thumb_func
boot2:
    push {lr}
    /* Pads: a fast slew rate for the clock, and data inputs without the delay of the Schmitt triggers. */
    ldr  r0, =PADS_QSPI_SCLK
    movs r1, #SCLK_FAST
    str  r1, [r0]
    movs r1, #4
1:  adds r0, #4
    ldr  r2, [r0]
    movs r3, #SCHMITT
    bics r2, r3
    str  r2, [r0]
    subs r1, #1
    bne  1b

    /* Commands to the flash are bytes on one lane. Data are sampled one cycle of clk_sys later than half a serial clock
     * after the flash sends them. At this divider, that is the moment when the flash sends the next ones
     * (RX_SAMPLE_DLY). */
    ldr  r4, =SSI
    ldr  r5, =SSI_HIGH
    movs r6, #0
    movs r7, #1
    str  r6, [r4, #SSIENR]
    movs r1, #DIVIDER
    str  r1, [r4, #BAUDR]
    str  r7, [r5, #RX_SAMPLE_DLY]
    ldr  r1, =FRAME_8
    str  r1, [r4, #CTRLR0]
    str  r7, [r4, #SER]
    str  r7, [r4, #SSIENR]

    /* The flash must have its four lanes enabled. Most of these flash chips have them enabled permanently. */
    movs r0, #READ_STATUS_2
    bl   command
    movs r1, #QUAD_ENABLE
    tst  r0, r1
    bne  2f
    orrs r1, r0
    mov  r8, r1
    movs r0, #ENABLE_VOLATILE
    str  r0, [r4, #DR0]
    bl   finish
    ldr  r0, [r4, #DR0]
    movs r0, #WRITE_STATUS_2
    mov  r1, r8
    bl   command_with

    /* Make one read with the command. After it the flash is in continuous mode. */
2:  str  r6, [r4, #SSIENR]
    ldr  r1, =QUAD_READ
    str  r1, [r4, #CTRLR0]
    str  r6, [r4, #CTRLR1]
    ldr  r1, =ADDRESS_MODE | WAIT_4 | COMMAND_8 | ONE_LANE_COMMAND
    str  r1, [r5, #SPI_CTRLR0]
    str  r7, [r4, #SSIENR]
    movs r1, #READ_QUAD
    str  r1, [r4, #DR0]
    movs r1, #CONTINUOUS /* address 0, then the mode */
    str  r1, [r4, #DR0]
    bl   finish

    /* From now on a read of the XIP window makes the SSI read the flash in this mode, without the command. */
    str  r6, [r4, #SSIENR]
    ldr  r1, =CONTINUOUS << 24 | ADDRESS_MODE | WAIT_4 | NO_COMMAND
    str  r1, [r5, #SPI_CTRLR0]
    str  r7, [r4, #SSIENR]

#if !IC_XIP_CACHE
    ldr  r0, =XIP_CTRL
    movs r1, #ERR_BADWRITE
    str  r1, [r0]
#endif

    pop  {r0}
    cmp  r0, #0
    bne  return
    ldr  r0, =VECTORS
    ldr  r1, =VTOR
    str  r0, [r1]
    ldm  r0!, {r1, r2}
    msr  msp, r1
    bx   r2
return:
    bx   r0

/* Sends two bytes: r0 and any second one (command), or r0 and r1 (command_with). Returns the flash's answer to the
 * second byte. */
command:
    movs r1, #0
command_with:
    str  r0, [r4, #DR0]
    str  r1, [r4, #DR0]
    mov  r3, lr
    bl   finish
    ldr  r0, [r4, #DR0]
    ldr  r0, [r4, #DR0]
    bx   r3

/* Waits until the SSI has sent everything. */
finish:
    ldr  r1, [r4, #SR]
    movs r2, #SR_TFE
    tst  r1, r2
    beq  finish
    movs r2, #SR_BUSY
    tst  r1, r2
    bne  finish
    bx   lr
    .ltorg
