# Our own boot ROM for the RISC-V cores of the RP2350. It starts what the host has put into memory, as the chip's ROM does: a direct
# boot by the watchdog's scratch registers (DS 5.2.4), else an image in flash (DS 5.9), and launches core 1 (DS 5.3). It has no
# functions to call, and does not set up flash: that is read as after a reset of QMI, by the serial command 03h.

    .equ SIO,               0xd0000000
    .equ   FIFO_ST,         0x50
    .equ   FIFO_WR,         0x54
    .equ   FIFO_RD,         0x58
    .equ     FIFO_VLD,      1
    .equ     FIFO_RDY,      2
    .equ WATCHDOG,          0x400d8000
    .equ   SCRATCH4,        0x1c
    .equ   SCRATCH5,        0x20
    .equ   SCRATCH6,        0x24
    .equ   SCRATCH7,        0x28
    .equ DIRECT_BOOT,       0xb007c0d3
    .equ FLASH,             0x10000000
    .equ SRAM_END,          0x20082000
    .equ BLOCK,             0xffffded3      # begins a block (DS 5.9.1)
    .equ EXE_RISCV,         0x11010142      # item of an image for the RISC-V cores of this chip (DS 5.9.3.1)
    .equ ENTRY_POINT,       0x44            # item with an entry point and a stack pointer (DS 5.9.3.4)

    .macro block                            # sleeps until the other core unblocks this one (DS 3.8.6.3)
    slt  x0, x0, x0
    .endm
    .macro unblock
    slt  x0, x0, x1
    .endm

    .globl _start
    .option norvc
_start:
    j    begin
# Places where nothing goes on, known to the simulator by their addresses.
no_image:
    wfi
    j    no_image
returned:
    wfi
    j    returned
    .option rvc

begin:
    csrr a0, mhartid
    bnez a0, wait_for_vector
    li   t0, WATCHDOG
    lw   a1, SCRATCH4(t0)
    li   a2, DIRECT_BOOT
    bne  a1, a2, flash
    lw   a3, SCRATCH5(t0)
    lw   a4, SCRATCH7(t0)
    neg  a2, a2
    xor  a2, a2, a4
    bne  a2, a3, flash
    sw   x0, SCRATCH4(t0)                   # once
    lw   sp, SCRATCH6(t0)
    j    start

# The image definition is within the first 4 kB.
flash:
    li   t0, FLASH
    li   t1, FLASH + 0x1000
    li   t2, BLOCK
1:  lw   t3, (t0)
    beq  t3, t2, found
    addi t0, t0, 4
    bltu t0, t1, 1b
    j    no_image
found:
    lw   t3, 4(t0)
    li   t4, EXE_RISCV
    bne  t3, t4, no_image
    li   a4, FLASH                          # without an entry point, the image begins at its lowest address
    li   sp, SRAM_END
    lbu  t3, 8(t0)
    li   t4, ENTRY_POINT
    bne  t3, t4, start
    lw   a4, 12(t0)
    lw   sp, 16(t0)
start:
    jalr a4
    j    returned

# Core 1 waits for {0, 0, 1, vector table, stack pointer, entry}; each word is echoed, and a 0 in the place of the 1 starts over.
wait_for_vector:
    li   s0, SIO
start_over:
    lw   a0, FIFO_RD(s0)                    # empty the FIFO: reading one too many only sets a flag
    lw   a0, FIFO_ST(s0)
    andi a1, a0, FIFO_VLD
    bnez a1, start_over
    sw   a0, FIFO_ST(s0)                    # which is cleared here
    li   a0, 0
    jal  send
    jal  receive
    li   a1, 1
    bne  a0, a1, start_over
    jal  send
    jal  receive
    mv   s1, a0
    jal  send
    jal  receive
    mv   s2, a0
    jal  send
    jal  receive
    mv   s3, a0
    jal  send
    csrw mtvec, s1
    mv   sp, s2
    jalr s3
    j    returned

# Sends a0 to the other core; s0 is SIO.
send:
    lw   t0, FIFO_ST(s0)
    andi t0, t0, FIFO_RDY
    bnez t0, 1f
    block
    j    send
1:  sw   a0, FIFO_WR(s0)
    unblock
    ret

# Waits for a word from the other core, in a0.
receive:
    lw   t0, FIFO_ST(s0)
    andi t0, t0, FIFO_VLD
    bnez t0, 1f
    block
    j    receive
1:  lw   a0, FIFO_RD(s0)
    ret
