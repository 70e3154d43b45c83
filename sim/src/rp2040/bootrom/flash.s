@ Functions of bootrom.s that change the flash (datasheet 2.8.3.1.3).

@ void connect_internal_flash(): the pads of the flash as after reset, and given to the SSI (datasheet 2.8.3.1.3).
    .thumb_func
connect_internal_flash:
    ldr  r0, =RESETS
    movs r1, #IO_QSPI >> 6
    lsls r1, r1, #6
    ldr  r2, =PADS_QSPI
    orrs r1, r2
    ldr  r2, =RESETS + SET_ALIAS
    str  r1, [r2]
    ldr  r2, =RESETS + CLEAR_ALIAS
    str  r1, [r2]
1:  ldr  r2, [r0, #RESET_DONE]
    ands r2, r1
    cmp  r2, r1
    bne  1b
    ldr  r0, =IO_QSPI_BASE
    movs r1, #0                             @ function XIP, no override
    movs r2, #6
2:  str  r1, [r0, #4]
    adds r0, #8
    subs r2, #1
    bne  2b
    bx   lr

@ void flash_exit_xip(): serial frames of a byte at clk_sys / 6, and the flash out of any mode of continuous reading
@ (datasheet 2.8.1.2): 32 clocks deselected with its lines pulled down, 32 clocks selected with them pulled up, then 16
@ clocks of ones. The flash stays deselected by force.
    .thumb_func
flash_exit_xip:
    push {r4, r5, r6, lr}
    ldr  r0, =SSI
    movs r1, #0
    str  r1, [r0, #SSI_SSIENR]
    movs r1, #6
    str  r1, [r0, #SSI_BAUDR]
    ldr  r1, =7 << 16
    str  r1, [r0, #SSI_CTRLR0]
    movs r1, #1
    str  r1, [r0, #SSI_SER]
    str  r1, [r0, #SSI_SSIENR]
    ldr  r4, =PADS_SD0
    ldr  r5, [r4]
    movs r0, #3
    bl   force_select
    movs r0, #0x84                          @ output off, pulled down
    movs r1, #0x0c
    orrs r0, r5
    bics r0, r1
    movs r1, #4
    orrs r0, r1
    bl   exit_clocks
    movs r0, #2
    bl   force_select
    movs r0, #0x88                          @ output off, pulled up
    movs r1, #0x0c
    orrs r0, r5
    bics r0, r1
    movs r1, #8
    orrs r0, r1
    bl   exit_clocks
    mov  r0, r5
    bl   set_pads
    movs r0, #3
    bl   force_select
    ldr  r0, =0xffff0000
    movs r1, #2
    movs r3, #0
    bl   flash_command
    pop  {r4, r5, r6, pc}

@ Gives the pads of the four data lines (R4: the first) the setting R0, and after some 6000 cycles lets 32 clocks pass.
exit_clocks:
    push {lr}
    bl   set_pads
    ldr  r0, =2000
1:  subs r0, #1
    bne  1b
    movs r0, #0
    movs r1, #4
    movs r3, #0
    bl   flash_frames
    pop  {pc}

set_pads:
    str  r0, [r4]
    str  r0, [r4, #4]
    str  r0, [r4, #8]
    str  r0, [r4, #12]
    bx   lr

@ Forces the flash's chip select: R0 is the OUTOVER, 2 low, 3 high, 0 what the SSI says.
force_select:
    ldr  r1, =IO_QSPI_SS_CTRL
    lsls r0, r0, #8
    str  r0, [r1]
    ldr  r0, [r1]
    bx   lr

@ A command to the flash: R1 bytes from the top of R0, then R3 bytes from R2. Returns the last byte received.
flash_command:
    push {r4, lr}
    mov  r4, r0
    push {r1}
    movs r0, #2
    bl   force_select
    pop  {r1}
    mov  r0, r4
    bl   flash_frames
    mov  r4, r0
    movs r0, #3
    bl   force_select
    mov  r0, r4
    pop  {r4, pc}

@ The same without chip select. No more than 14 bytes are under way, so that none is lost to an interrupt.
flash_frames:
    push {r4, r5, r6, r7, lr}
    ldr  r7, =SSI + SSI_DR0
    mov  r6, r3                             @ bytes to send
    adds r5, r3, r1                         @ bytes to receive
1:  lsrs r4, r0, #24
    str  r4, [r7]
    lsls r0, r0, #8
    subs r1, #1
    bne  1b
2:  cmp  r6, #0
    beq  3f
    subs r4, r5, r6
    cmp  r4, #14
    bhs  3f
    ldrb r4, [r2]
    adds r2, #1
    str  r4, [r7]
    subs r6, #1
3:  subs r7, #SSI_DR0 - SSI_SR
    ldr  r4, [r7]
    adds r7, #SSI_DR0 - SSI_SR
    lsrs r4, r4, #SSI_RFNE + 1              @ the carry now
    bcc  2b
    ldr  r0, [r7]
    subs r5, #1
    bne  2b
    pop  {r4, r5, r6, r7, pc}

@ Enables the next command to change the flash.
write_enable:
    push {lr}
    ldr  r0, =0x06 << 24
    movs r1, #1
    movs r3, #0
    bl   flash_command
    pop  {pc}

@ Waits for the flash: bit 0 of its status register.
wait_for_flash:
    push {lr}
1:  ldr  r0, =0x05 << 24
    movs r1, #2
    movs r3, #0
    bl   flash_command
    lsrs r0, r0, #1
    bcs  1b
    pop  {pc}

@ void flash_range_erase(u32 offset, u32 bytes, u32 block size, u8 block command): by blocks where they fit, else by
@ sectors of 4 kB.
    .thumb_func
flash_range_erase:
    push {r4, r5, r6, r7, lr}
    mov  r4, r0
    adds r5, r0, r1                         @ end
    mov  r6, r2
    mov  r7, r3
1:  cmp  r4, r5
    bhs  4f
    bl   write_enable
    cmp  r6, #0
    beq  2f
    subs r0, r6, #1
    tst  r0, r4
    bne  2f
    adds r1, r4, r6
    cmp  r1, r5
    bhi  2f
    lsls r0, r7, #24
    b    3f
2:  movs r1, #1
    lsls r1, r1, #12
    adds r1, r4
    ldr  r0, =0x20 << 24
3:  orrs r0, r4
    mov  r4, r1
    movs r1, #4
    movs r3, #0
    bl   flash_command
    bl   wait_for_flash
    b    1b
4:  pop  {r4, r5, r6, r7, pc}

@ void flash_range_program(u32 offset, const u8 *data, u32 bytes): page by page of 256 bytes.
    .thumb_func
flash_range_program:
    push {r4, r5, r6, lr}
    mov  r4, r0
    mov  r5, r1
    adds r6, r0, r2                         @ end
1:  cmp  r4, r6
    bhs  2f
    bl   write_enable
    ldr  r0, =0x02 << 24
    orrs r0, r4
    movs r1, #4
    mov  r2, r5
    movs r3, #0xff
    adds r3, #1
    adds r4, r3
    adds r5, r3
    bl   flash_command
    bl   wait_for_flash
    b    1b
2:  pop  {r4, r5, r6, pc}

@ void flash_flush_cache(): empties the cache, turns it on, and leaves the chip select to the SSI.
    .thumb_func
flash_flush_cache:
    push {lr}
    ldr  r0, =XIP_CTRL
    movs r1, #1
    str  r1, [r0, #XIP_FLUSH]
    ldr  r1, [r0, #XIP_FLUSH]               @ waits for its end
    ldr  r1, =XIP_CTRL + SET_ALIAS
    movs r0, #1
    str  r0, [r1]
    movs r0, #0
    bl   force_select
    pop  {pc}

@ void flash_enter_cmd_xip(): reading by 03h, which every flash knows.
    .thumb_func
flash_enter_cmd_xip:
    ldr  r0, =SSI
    movs r1, #0
    str  r1, [r0, #SSI_SSIENR]
    ldr  r1, =(31 << 16) | (3 << 8)
    str  r1, [r0, #SSI_CTRLR0]
    ldr  r1, =(0x03 << 24) | (2 << 8) | (6 << 2)
    ldr  r2, =SSI_SPI_CTRLR0
    str  r1, [r2]
    movs r1, #0
    str  r1, [r0, #SSI_CTRLR1]
    movs r1, #1
    str  r1, [r0, #SSI_SSIENR]
    bx   lr

    .ltorg
