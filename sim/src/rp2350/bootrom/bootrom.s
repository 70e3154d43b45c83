# Our own boot ROM for the RISC-V cores of the RP2350. It starts what the host has put into memory, as the chip's ROM does: a direct
# boot by the watchdog's scratch registers (DS 5.2.4), else an image in flash (DS 5.9), and launches core 1 (DS 5.3). It does not
# set up flash: that is read as after a reset of QMI, by the serial command 03h. Of the functions to call (DS 5.4) it has those that
# change flash.

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

    .equ RESETS,            0x40020000
    .equ   RESET_DONE,      8
    .equ   QSPI_BLOCKS,     1 << 7 | 1 << 10 # IO_QSPI, PADS_QSPI
    .equ PADS_QSPI_SD0,     0x40040008
    .equ   PAD_OFF,         0x80            # its output
    .equ   PAD_PULL_UP,     8
    .equ   PAD_PULL_DOWN,   4
    .equ QMI,               0x400d0000
    .equ   DIRECT_CSR,      0x00
    .equ     EN,            1
    .equ     CS_LOW,        4
    .equ     BUSY,          2
    .equ     TX_FULL,       1 << 10
    .equ     RX_EMPTY,      1 << 16
    .equ     CLKDIV_12,     12 << 22
    .equ   DIRECT_TX,       0x04
    .equ   DIRECT_RX,       0x08
    .equ   M0_TIMING,       0x0c
    .equ   M1_TIMING,       0x20
    .equ SET_ALIAS,         0x2000
    .equ CLEAR_ALIAS,       0x3000
    .equ XIP_MAINTENANCE,   0x18000000
    .equ CACHE_BYTES,       16 << 10
    .equ FUNC_RISCV,        1               # a flag of the look-up

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
    .half look_up - _start, 0               # the simulator puts this where programs look for it
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

# Where the function with a code of two letters is, or 0: rom_table_lookup(code, flags) (DS 5.4.1).
look_up:
    andi a1, a1, FUNC_RISCV
    beqz a1, 3f
    la   t0, functions
1:  lhu  t1, (t0)
    beqz t1, 3f
    beq  t1, a0, 2f
    addi t0, t0, 4
    j    1b
2:  lhu  a0, 2(t0)
    ret
3:  li   a0, 0
    ret

    .macro function code, name
    .ascii "\code"
    .half \name - _start
    .endm
    .balign 4
functions:
    function IF, connect_internal_flash
    function EX, flash_exit_xip
    function RE, flash_range_erase
    function RP, flash_range_program
    function FC, flash_flush_cache
    function CX, flash_enter_cmd_xip
    .half 0

# void connect_internal_flash(): pins and pads of the flash as after reset, which gives them to QMI.
connect_internal_flash:
    li   t0, RESETS
    li   t1, QSPI_BLOCKS
    li   t2, RESETS + SET_ALIAS
    sw   t1, (t2)
    li   t2, RESETS + CLEAR_ALIAS
    sw   t1, (t2)
1:  lw   t2, RESET_DONE(t0)
    and  t2, t2, t1
    bne  t2, t1, 1b
    ret

# void flash_exit_xip(): reading by 03h, and the flash out of any mode of continuous reading: 32 clocks deselected with its lines
# pulled down, 32 clocks selected with them pulled up, then 16 clocks of ones (DS 5.4.8.13).
flash_exit_xip:
    addi sp, sp, -16
    sw   ra, (sp)
    jal  flash_enter_cmd_xip
    li   a0, PAD_OFF | PAD_PULL_DOWN
    li   a2, 0
    jal  exit_clocks
    li   a0, PAD_OFF | PAD_PULL_UP
    li   a2, CS_LOW
    jal  exit_clocks
    li   a0, 0x56                           # as after reset
    jal  set_pads
    li   a0, 0xffff0000
    li   a1, 2
    li   a3, 0
    jal  command
    lw   ra, (sp)
    addi sp, sp, 16
    ret

# 32 clocks with the pads of the data lines set to a0, and the chip select as a2 has it.
exit_clocks:
    addi sp, sp, -16
    sw   ra, (sp)
    jal  set_pads
    li   t0, 2000
1:  addi t0, t0, -1
    bnez t0, 1b
    mv   a4, a2
    li   a0, 0
    li   a1, 4
    li   a3, 0
    jal  frames
    lw   ra, (sp)
    addi sp, sp, 16
    ret

set_pads:
    li   t0, PADS_QSPI_SD0
    sw   a0, (t0)
    sw   a0, 4(t0)
    sw   a0, 8(t0)
    sw   a0, 12(t0)
    ret

# A command to the flash: a1 bytes from the top of a0, then a3 bytes from a2. Returns the last byte received.
command:
    li   a4, CS_LOW
# The same with the chip select as a4 has it.
frames:
    li   t0, QMI
    li   t1, CLKDIV_12 | EN
    or   t1, t1, a4
    sw   t1, DIRECT_CSR(t0)
    add  a5, a1, a3                         # bytes to receive
1:  lw   t1, DIRECT_CSR(t0)
    li   t2, RX_EMPTY
    and  t2, t1, t2
    bnez t2, 2f
    lw   a6, DIRECT_RX(t0)
    addi a5, a5, -1
2:  li   t2, TX_FULL
    and  t2, t1, t2
    bnez t2, 5f
    beqz a1, 3f
    srli t2, a0, 24
    slli a0, a0, 8
    addi a1, a1, -1
    j    4f
3:  beqz a3, 5f
    lbu  t2, (a2)
    addi a2, a2, 1
    addi a3, a3, -1
4:  sw   t2, DIRECT_TX(t0)
5:  bnez a5, 1b
    li   t1, CLKDIV_12
    sw   t1, DIRECT_CSR(t0)
    mv   a0, a6
    ret

# Enables the next command to change the flash.
write_enable:
    li   a0, 0x06 << 24
    li   a1, 1
    li   a3, 0
    j    command

# Waits for the flash: bit 0 of its status register.
wait_for_flash:
    addi sp, sp, -16
    sw   ra, (sp)
1:  li   a0, 0x05 << 24
    li   a1, 2
    li   a3, 0
    jal  command
    andi a0, a0, 1
    bnez a0, 1b
    lw   ra, (sp)
    addi sp, sp, 16
    ret

# void flash_range_erase(u32 offset, u32 bytes, u32 block size, u8 block command): by blocks where they fit, else by sectors of
# 4 kB.
flash_range_erase:
    addi sp, sp, -32
    sw   ra, (sp)
    sw   s0, 4(sp)
    sw   s1, 8(sp)
    sw   s2, 12(sp)
    sw   s3, 16(sp)
    mv   s0, a0
    add  s1, a0, a1                         # end
    mv   s2, a2
    mv   s3, a3
1:  bgeu s0, s1, 4f
    jal  write_enable
    beqz s2, 2f
    addi t0, s2, -1
    and  t0, t0, s0
    bnez t0, 2f
    add  t0, s0, s2
    bgtu t0, s1, 2f
    slli a0, s3, 24
    or   a0, a0, s0
    mv   s0, t0
    j    3f
2:  li   a0, 0x20 << 24
    or   a0, a0, s0
    li   t0, 4096
    add  s0, s0, t0
3:  li   a1, 4
    li   a3, 0
    jal  command
    jal  wait_for_flash
    j    1b
4:  lw   ra, (sp)
    lw   s0, 4(sp)
    lw   s1, 8(sp)
    lw   s2, 12(sp)
    lw   s3, 16(sp)
    addi sp, sp, 32
    ret

# void flash_range_program(u32 offset, const u8 *data, u32 bytes): page by page of 256 bytes.
flash_range_program:
    addi sp, sp, -16
    sw   ra, (sp)
    sw   s0, 4(sp)
    sw   s1, 8(sp)
    sw   s2, 12(sp)
    mv   s0, a0
    mv   s1, a1
    add  s2, a0, a2                         # end
1:  bgeu s0, s2, 2f
    jal  write_enable
    li   a0, 0x02 << 24
    or   a0, a0, s0
    li   a1, 4
    mv   a2, s1
    li   a3, 256
    addi s0, s0, 256
    addi s1, s1, 256
    jal  command
    jal  wait_for_flash
    j    1b
2:  lw   ra, (sp)
    lw   s0, 4(sp)
    lw   s1, 8(sp)
    lw   s2, 12(sp)
    addi sp, sp, 16
    ret

# void flash_flush_cache(): invalidates each line, by set and way (DS 4.4.1.1).
flash_flush_cache:
    li   t0, XIP_MAINTENANCE
    li   t1, XIP_MAINTENANCE + CACHE_BYTES
1:  sb   x0, (t0)
    addi t0, t0, 8
    bltu t0, t1, 1b
    ret

# void flash_enter_cmd_xip(): reading by 03h, which every flash knows, at a twelfth of clk_sys; no direct mode.
flash_enter_cmd_xip:
    li   t0, QMI
    li   t1, CLKDIV_12
    sw   t1, DIRECT_CSR(t0)
    li   t1, 0x6000720c                     # as the vendor's ROM: cooldown, a break each 1 kB, deselected for 7 cycles
    li   t2, 0x1000
    li   t3, 0x03
    sw   t1, M0_TIMING(t0)
    sw   t2, M0_TIMING + 4(t0)
    sw   t3, M0_TIMING + 8(t0)
    sw   t1, M1_TIMING(t0)
    sw   t2, M1_TIMING + 4(t0)
    sw   t3, M1_TIMING + 8(t0)
    ret
