@ The simulated chip's boot ROM, written for Intercore. It keeps the contract of the RP2040's ROM as the datasheet
@ documents it (2.8: layout of the header, boot order, boot2 and its check sum, how core 1 is launched, the functions and
@ data by their codes); none of it is the vendor's code. What is missing of the vendor's ROM: USB boot.
@
@ After a change: make -C sim/src/rp2040/bootrom, and commit bootrom.bin;
@ a test assembles this file and compares.

    .syntax unified
    .cpu    cortex-m0plus
    .thumb

    .equ SIO,               0xd0000000      @ datasheet 2.3.1
    .equ   CPUID,           0x00
    .equ   FIFO_ST,         0x50
    .equ   FIFO_WR,         0x54
    .equ   FIFO_RD,         0x58
    .equ     FIFO_VLD,      1
    .equ     FIFO_RDY,      2
    .equ RESETS,            0x4000c000      @ datasheet 2.14
    .equ   RESET_DONE,      0x08
    .equ   SET_ALIAS,       0x2000          @ datasheet 2.1.2
    .equ   CLEAR_ALIAS,     0x3000
    .equ     IO_QSPI,       1 << 6
    .equ     PADS_BANK0,    1 << 8
    .equ     PADS_QSPI,     1 << 9
    .equ     TIMER,         1 << 21
    .equ WATCHDOG_SCRATCH4, 0x4005801c      @ datasheet 4.7
    .equ   DIRECT_BOOT,     0xb007c0d3      @ datasheet 2.8.1.1: entry in scratch 7, stack pointer in scratch 6
    .equ   TABLE_BOOT,      0x1c0de7ab      @ ours, set by the loader: vector table in scratch 7
    .equ SSI,               0x18000000      @ datasheet 4.10
    .equ   SSI_CTRLR0,      0x00
    .equ   SSI_CTRLR1,      0x04
    .equ   SSI_SSIENR,      0x08
    .equ   SSI_SER,         0x10
    .equ   SSI_BAUDR,       0x14
    .equ   SSI_SR,          0x28
    .equ     SSI_RFNE,      3               @ bit
    .equ   SSI_DR0,         0x60
    .equ SSI_SPI_CTRLR0,    SSI + 0xf4
    .equ XIP_CTRL,          0x14000000      @ datasheet 2.6.3.6
    .equ   XIP_FLUSH,       0x04
    .equ IO_QSPI_BASE,      0x40018000      @ datasheet 2.19.6.2
    .equ   IO_QSPI_SS_CTRL, IO_QSPI_BASE + 0x0c
    .equ PADS_SD0,          0x40020008      @ datasheet 2.19.6.4
    .equ FLASH,             0x10000000
    .equ FLASH_VECTORS,     0x10000100      @ where boot2 of the SDK expects the vector table
    .equ BOOT2,             0x20041f00      @ where boot2 is copied to and run
    .equ   BOOT2_CHECKED,   252             @ bytes under its CRC-32, which is in the last 4 of 256
    .equ VTOR,              0xe000ed08
    .equ SCR,               0xe000ed10
    .equ   SLEEPDEEP,       4

@ What the simulator does for the ROM (../bootrom/service.rs): it finds these three words before and at the breakpoint.
    .equ SERVICE,           0x1c0d
    .equ   LOOKUP_FAILED,   64              @ R1: the code
    .equ   USB_BOOT,        65
    .macro float_entry kind, number
    .word \kind\()_\number + 1
    .endm
    .macro service name, number
    .hword SERVICE, \number
    .thumb_func
\name:
    bkpt #0xab
    .endm

    .section .text
    .altmacro
    .word BOOT2                             @ stack pointer: below boot2's place
    .word reset + 1
    .word unhandled_exception + 1           @ NMI
    .word unhandled_exception + 1           @ HardFault
    .byte 'M', 'u', 1, 3                    @ magic, layout 1, version of the chip's last ROM (B2)
    .hword functions, data, table_lookup + 1, 0

@ Where execution ends when it cannot go on. Fixed addresses, known to ../bootrom.rs.
    .org 0x20
    .thumb_func
no_bootable_image:                          @ flash holds neither a boot2 nor a vector table
    wfi
    b no_bootable_image
    .thumb_func
core_1_returned:                            @ from the entry it was launched with
    wfi
    b core_1_returned
    .thumb_func
image_returned:                             @ from the entry of a direct boot
    wfi
    b image_returned
    .org 0x2e
    .thumb_func
unhandled_exception:                        @ taken while the vector table was still that of the ROM: lock up
    udf #1
    .org 0xc0                               @ beyond 16 + 32 vectors. An interrupt taken here finds none of its own, so it
                                            @ faults: the vendor's ROM has code there, with much the same end

@ u32 table_lookup(const u16 *table, u32 code): pairs of code and value; a code of 0 ends them (datasheet 2.8.3)
    .thumb_func
table_lookup:
    ldrh r2, [r0]
    ldrh r3, [r0, #2]
    adds r0, #4
    cmp  r2, #0
    beq  lookup_failed
    cmp  r2, r1
    bne  table_lookup
    mov  r0, r3
    bx   lr
    service lookup_failed, LOOKUP_FAILED
    movs r0, #0
    bx   lr

    .align 2
functions:
    .ascii "P3"
    .hword popcount32 + 1
    .ascii "R3"
    .hword reverse32 + 1
    .ascii "L3"
    .hword clz32 + 1
    .ascii "T3"
    .hword ctz32 + 1
    .ascii "MS"
    .hword memset + 1
    .ascii "S4"
    .hword memset4 + 1
    .ascii "MC"
    .hword memcpy + 1
    .ascii "C4"
    .hword memcpy44 + 1
    .ascii "WV"
    .hword wait_for_vector + 1
    .ascii "UB"
    .hword reset_usb_boot + 1
    .ascii "DT"
    .hword debug_trampoline + 1
    .ascii "DE"
    .hword debug_trampoline_end + 1
    .ascii "IF"
    .hword connect_internal_flash + 1
    .ascii "EX"
    .hword flash_exit_xip + 1
    .ascii "RE"
    .hword flash_range_erase + 1
    .ascii "RP"
    .hword flash_range_program + 1
    .ascii "FC"
    .hword flash_flush_cache + 1
    .ascii "CX"
    .hword flash_enter_cmd_xip + 1
    .hword 0, 0
data:
    .ascii "CR"
    .hword copyright
    .ascii "SF"
    .hword float_table
    .ascii "SD"
    .hword double_table
    .ascii "GR"
    .hword revision
    .ascii "FZ"
    .hword float_table_words
    .ascii "FS"
    .hword float_start
    .ascii "FE"
    .hword float_end
    .ascii "DS"
    .hword double_start
    .ascii "DE"
    .hword double_end
    .hword 0, 0

    .align 2
revision:                                   @ the vendor's has its own git revision here
    .word 0x1c0d0001

copyright:
    .asciz "Intercore: a simulated RP2040; not the boot ROM of Raspberry Pi"

@ The SDK copies the tables of floating-point functions and calls through them. Their length in words is two bytes before.
    .align 2
    .hword 0
float_table_words:
    .byte 32, 0
float_table:
    .set number, 0
    .rept 32
    float_entry float, %number
    .set number, number + 1
    .endr
double_table:
    .set number, 0
    .rept 32
    float_entry double, %number
    .set number, number + 1
    .endr

    .thumb_func
reset:
    ldr  r0, =SIO
    ldr  r1, [r0, #CPUID]
    cmp  r1, #0
    beq  core_0
    b    wait_for_vector

@ Core 0: a direct boot asked for through the watchdog's scratch registers, else flash.
core_0:
    ldr  r7, =WATCHDOG_SCRATCH4
    ldr  r0, [r7]                           @ what is asked for
    ldr  r1, [r7, #4]                       @ scratch 7 ^ -r0, so that a leftover does not look like a request
    ldr  r2, [r7, #8]
    ldr  r3, [r7, #12]
    eors r1, r3
    adds r1, r0
    bne  boot_from_flash
    ldr  r4, =DIRECT_BOOT
    cmp  r0, r4
    beq  1f
    ldr  r4, =TABLE_BOOT
    cmp  r0, r4
    bne  boot_from_flash
    str  r1, [r7]                           @ 0: once only
    mov  r0, r3
    b    enter_vector_table
1:  str  r1, [r7]
    msr  msp, r2
    blx  r3
    b    image_returned

boot_from_flash:
    ldr  r0, =RESETS
    ldr  r1, =RESETS + CLEAR_ALIAS
    ldr  r2, =IO_QSPI | PADS_QSPI | PADS_BANK0 | TIMER
    str  r2, [r1]
1:  ldr  r1, [r0, #RESET_DONE]
    ands r1, r2
    cmp  r1, r2
    bne  1b

@ XIP through the one read command every flash knows: 03h, 24 bit of address, one line, at clk_sys / 6.
    ldr  r0, =SSI
    movs r1, #0
    str  r1, [r0, #SSI_SSIENR]
    str  r1, [r0, #SSI_CTRLR1]
    movs r1, #6
    str  r1, [r0, #SSI_BAUDR]
    movs r1, #1
    str  r1, [r0, #SSI_SER]
    ldr  r1, =(31 << 16) | (3 << 8)         @ 32-bit frames, TMOD: EEPROM read
    str  r1, [r0, #SSI_CTRLR0]
    ldr  r1, =(0x03 << 24) | (2 << 8) | (6 << 2)
    ldr  r2, =SSI_SPI_CTRLR0
    str  r1, [r2]
    movs r1, #1
    str  r1, [r0, #SSI_SSIENR]

    ldr  r0, =BOOT2
    ldr  r1, =FLASH
    movs r2, #0xff
    adds r2, #1
    bl   copy_boot2
    ldr  r0, =BOOT2
    movs r1, #BOOT2_CHECKED
    bl   crc32
    ldr  r1, =BOOT2
    movs r2, #BOOT2_CHECKED
    ldr  r2, [r1, r2]
    cmp  r0, r2
    bne  no_boot2
    movs r0, #0
    mov  lr, r0                             @ tells boot2 to start the image itself
    adds r1, #1
    bx   r1

@ An image without boot2 would not start on the chip. Here it does, with the flash set up as by the SDK's default boot2:
@ continuous quad read (EBh, mode A0h), 4 wait states, at clk_sys / 4.
no_boot2:
    ldr  r0, =SSI
    movs r1, #0
    str  r1, [r0, #SSI_SSIENR]
    movs r1, #4
    str  r1, [r0, #SSI_BAUDR]
    ldr  r1, =(2 << 21) | (31 << 16) | (3 << 8)
    str  r1, [r0, #SSI_CTRLR0]
    ldr  r1, =(0xa0 << 24) | (4 << 11) | (8 << 2) | 2
    ldr  r2, =SSI_SPI_CTRLR0
    str  r1, [r2]
    movs r1, #1
    str  r1, [r0, #SSI_SSIENR]
    ldr  r0, =FLASH
    bl   is_vector_table
    bne  enter_vector_table
    ldr  r0, =FLASH_VECTORS
    bl   is_vector_table
    bne  enter_vector_table
    b    no_bootable_image

@ Does r0 look like a vector table: a stack pointer in SRAM and the odd address of an entry in flash or SRAM?
@ Answers in the flags (NE if so), keeps r0.
    .thumb_func
is_vector_table:
    ldr  r1, [r0]
    lsrs r2, r1, #24
    cmp  r2, #0x20
    bne  1f
    lsls r2, r1, #30
    bne  1f
    ldr  r1, [r0, #4]
    lsls r2, r1, #31
    beq  2f                                 @ Z set: even, no entry
    lsrs r2, r1, #24
    cmp  r2, #0x20
    beq  3f
    cmp  r2, #0x10
    beq  3f
1:  movs r2, #0
2:  bx   lr
3:  movs r2, #1
    bx   lr

@ Starts the image whose vector table is at r0.
enter_vector_table:
    ldr  r1, =VTOR
    str  r0, [r1]
    ldr  r1, [r0]
    msr  msp, r1
    ldr  r1, [r0, #4]
    bx   r1

@ u32 crc32(const u8 *data, u32 length): polynomial 04C11DB7, most significant bit first, all ones at the start and
@ nothing at the end, as boot2's check sum is made (datasheet 2.8.1.3.1).
    .thumb_func
crc32:
    push {r4, lr}
    adds r1, r0                             @ end
    ldr  r4, =0x04c11db7
    movs r2, #0
    mvns r2, r2
1:  ldrb r3, [r0]
    adds r0, #1
    lsls r3, #24
    eors r2, r3
    movs r3, #8
2:  lsls r2, #1
    bcc  3f
    eors r2, r4
3:  subs r3, #1
    bne  2b
    cmp  r0, r1
    bne  1b
    mov  r0, r2
    pop  {r4, pc}

@ Core 1 sleeps until core 0 sends {0, 0, 1, vector table, stack pointer, entry} through the FIFO; each word is echoed,
@ and a 0 in the place of the 1 starts over (datasheet 2.8.2).
    .thumb_func
wait_for_vector:
    ldr  r4, =SIO
    ldr  r5, =SCR
    ldr  r6, [r5]
    movs r0, #SLEEPDEEP
    orrs r0, r6
    str  r0, [r5]
start_over:
    ldr  r0, [r4, #FIFO_RD]                 @ empty the FIFO: reading one too many only sets a flag
    ldr  r0, [r4, #FIFO_ST]
    movs r1, #FIFO_VLD
    tst  r0, r1
    bne  start_over
    str  r0, [r4, #FIFO_ST]                 @ which is cleared here
    movs r0, #0
    bl   send
    bl   receive
    cmp  r0, #1
    bne  start_over
    bl   send
    bl   receive
    mov  r8, r0
    bl   send
    bl   receive
    mov  r9, r0
    bl   send
    bl   receive
    mov  r10, r0
    movs r1, #SLEEPDEEP
    bics r6, r1
    str  r6, [r5]
    ldr  r1, =VTOR
    mov  r2, r8
    str  r2, [r1]
    mov  r2, r9
    msr  msp, r2
    bl   send
    blx  r10
    b    core_1_returned

@ Sends r0 (kept) to the other core; r4 is SIO.
    .thumb_func
send:
    ldr  r1, [r4, #FIFO_ST]
    lsls r1, r1, #30                        @ FIFO_RDY is the sign now
    bmi  1f
    wfe
    b    send
1:  str  r0, [r4, #FIFO_WR]
    sev
    bx   lr

@ Waits for a word from the other core, in r0; r4 is SIO.
    .thumb_func
receive:
    ldr  r1, [r4, #FIFO_ST]
    lsrs r1, r1, #1                         @ FIFO_VLD is the carry now
    bcs  1f
    wfe
    b    receive
1:  ldr  r0, [r4, #FIFO_RD]
    bx   lr

    .ltorg

@ Copies boot2, a word in each turn. It is not memcpy, since what a boot from flash takes is to stay what it was.
    .thumb_func
copy_boot2:
    push {r4, lr}
    mov  r4, r0
    mov  r3, r0
    orrs r3, r1
    lsls r3, r3, #30
    bne  2f
    b    1f
0:  ldmia r1!, {r3}
    stmia r4!, {r3}
1:  subs r2, #4
    bhs  0b
    adds r2, #4
2:  cmp  r2, #0
    beq  3f
3:  pop  {r4, pc}

@ void *memcpy(void *to, const void *from, u32 length), and the same for words: in turns of 16 bytes where a word of the one
@ lies as a word of the other, else byte by byte. Its time is about that of the chip's ROM: sim/tests/bootrom.rs.
    .thumb_func
memcpy44:
    cmp  r2, #8
    blo  copy_few
    push {r0, r4, r5, r6, lr}
    b    copy_words
    .thumb_func
memcpy:
    cmp  r2, #8
    blo  copy_few
    subs r3, r0, r1
    lsls r3, r3, #30
    bne  copy_bytes
    push {r0, r4, r5, r6, lr}
    lsrs r3, r0, #1                         @ up to a halfword: bit 0 is the carry now
    bcc  1f
    ldrb r3, [r1]
    strb r3, [r0]
    adds r1, #1
    adds r0, #1
    subs r2, #1
1:  lsrs r3, r0, #2                         @ up to a word
    bcc  copy_words
    ldrh r3, [r1]
    strh r3, [r0]
    adds r1, #2
    adds r0, #2
    subs r2, #2
copy_words:
    subs r2, #16
    blo  2f
1:  ldmia r1!, {r3, r4, r5, r6}
    stmia r0!, {r3, r4, r5, r6}
    subs r2, #16
    bhs  1b
2:  lsls r2, r2, #29                        @ of what is left, 8 is the carry now, 4 the sign
    bcc  3f
    ldmia r1!, {r3, r4}
    stmia r0!, {r3, r4}
3:  bpl  4f
    ldmia r1!, {r3}
    stmia r0!, {r3}
4:  lsls r2, r2, #2                         @ 2 is the carry now, 1 the sign
    bcc  5f
    ldrh r3, [r1]
    strh r3, [r0]
    bpl  6f
    ldrb r3, [r1, #2]
    strb r3, [r0, #2]
    pop  {r0, r4, r5, r6, pc}
5:  bpl  6f
    ldrb r3, [r1]
    strb r3, [r0]
6:  pop  {r0, r4, r5, r6, pc}

1:  ldrb r3, [r1, r2]
    strb r3, [r0, r2]
copy_bytes:                                 @ from the last one on
    subs r2, #1
    bhs  1b
    bx   lr

copy_few:                                   @ less than 8: so many times the two instructions before the end
    adr  r3, copied
    lsls r2, r2, #2
    subs r3, r2
    mov  pc, r3
    .align 2
    .set at, 7
    .rept 7
    .set at, at - 1
    ldrb r2, [r1, #at]
    strb r2, [r0, #at]
    .endr
copied:
    bx   lr

@ void *memset(void *to, u8 value, u32 length), and the same for words: alike.
    .thumb_func
memset4:
    cmp  r2, #8
    blo  set_few
    push {r0, r4, r5, lr}
    uxtb r1, r1
    lsls r3, r1, #8
    orrs r1, r3
    b    set_words
    .thumb_func
memset:
    cmp  r2, #8
    blo  set_few
    push {r0, r4, r5, lr}
    uxtb r1, r1
    lsls r3, r1, #8
    orrs r1, r3
    lsrs r3, r0, #1
    bcc  1f
    strb r1, [r0]
    adds r0, #1
    subs r2, #1
1:  lsrs r3, r0, #2
    bcc  set_words
    strh r1, [r0]
    adds r0, #2
    subs r2, #2
set_words:
    lsls r3, r1, #16
    orrs r1, r3
    mov  r3, r1
    mov  r4, r1
    mov  r5, r1
    subs r2, #16
    blo  2f
1:  stmia r0!, {r1, r3, r4, r5}
    subs r2, #16
    bhs  1b
2:  lsls r2, r2, #29
    bcc  3f
    stmia r0!, {r1, r3}
3:  bpl  4f
    stmia r0!, {r1}
4:  lsls r2, r2, #2
    bcc  5f
    strh r1, [r0]
    bpl  6f
    strb r1, [r0, #2]
    pop  {r0, r4, r5, pc}
5:  bpl  6f
    strb r1, [r0]
6:  pop  {r0, r4, r5, pc}

set_few:
    adr  r3, was_set
    lsls r2, r2, #1
    subs r3, r2
    mov  pc, r3
    .align 2
    .hword 0                                @ so that the end is at a word
    .set at, 7
    .rept 7
    .set at, at - 1
    strb r1, [r0, #at]
    .endr
was_set:
    bx   lr

@ u32 popcount32(u32): sums of neighbouring bits, pairs, nibbles; one multiplication adds the bytes.
    .thumb_func
popcount32:
    ldr  r2, =0x55555555
    lsrs r1, r0, #1
    ands r1, r2
    subs r0, r1
    ldr  r2, =0x33333333
    lsrs r1, r0, #2
    ands r1, r2
    ands r0, r2
    adds r0, r1
    lsrs r1, r0, #4
    adds r0, r1
    ldr  r2, =0x0f0f0f0f
    ands r0, r2
    ldr  r2, =0x01010101
    muls r0, r2
    lsrs r0, #24
    bx   lr

@ u32 reverse32(u32): swap neighbouring bits, pairs, nibbles; REV does the bytes.
    .thumb_func
reverse32:
    ldr  r2, =0x55555555
    lsrs r1, r0, #1
    ands r1, r2
    ands r0, r2
    lsls r0, #1
    orrs r0, r1
    ldr  r2, =0x33333333
    lsrs r1, r0, #2
    ands r1, r2
    ands r0, r2
    lsls r0, #2
    orrs r0, r1
    ldr  r2, =0x0f0f0f0f
    lsrs r1, r0, #4
    ands r1, r2
    ands r0, r2
    lsls r0, #4
    orrs r0, r1
    rev  r0, r0
    bx   lr

@ u32 ctz32(u32): the lowest set bit alone, times a number in which no five neighbouring bits are twice the same, has in
@ its upper five bits where that bit was; 32 for 0.
    .align 2
    .thumb_func
ctz32:
    rsbs r1, r0, #0
    beq  1f
    ands r0, r1
    ldr  r1, =0x04653adf
    muls r0, r1
    lsrs r0, r0, #27
    adr  r1, places
    ldrb r0, [r1, r0]
    bx   lr
1:  movs r0, #32
    bx   lr
    .align 2
places:
    .byte 0, 1, 2, 6, 3, 11, 7, 16, 4, 14, 12, 21, 8, 23, 17, 26
    .byte 31, 5, 10, 15, 13, 20, 22, 25, 30, 9, 19, 24, 29, 18, 28, 27

@ u32 clz32(u32): finds the highest nibble that is not 0 by three branches, and has a table of nibbles; 32 for 0.
    .thumb_func
clz32:
    adr  r3, nibbles
    lsrs r1, r0, #16
    bne  4f
    lsrs r1, r0, #8
    bne  2f
    lsrs r1, r0, #4
    bne  1f
    ldrb r0, [r3, r0]
    adds r0, #28
    bx   lr
1:  ldrb r0, [r3, r1]
    adds r0, #24
    bx   lr
2:  lsrs r0, r1, #4
    bne  3f
    ldrb r0, [r3, r1]
    adds r0, #20
    bx   lr
3:  ldrb r0, [r3, r0]
    adds r0, #16
    bx   lr
4:  lsrs r0, r1, #8
    bne  6f
    lsrs r0, r1, #4
    bne  5f
    ldrb r0, [r3, r1]
    adds r0, #12
    bx   lr
5:  ldrb r0, [r3, r0]
    adds r0, #8
    bx   lr
6:  lsrs r1, r0, #4
    bne  7f
    ldrb r0, [r3, r0]
    adds r0, #4
    bx   lr
7:  ldrb r0, [r3, r1]
    bx   lr
    .align 2
nibbles:
    .byte 4, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0

    .ltorg

    .include "float.s"

@ Restarts the chip into its USB boot loader, which this ROM has not: the run ends there (datasheet 2.8.3.1.5).
    service reset_usb_boot, USB_BOOT
1:  wfi
    b    1b

@ For debuggers: calls R7 and stops (datasheet 2.8.3.1.4).
    .thumb_func
debug_trampoline:
    blx  r7
    .thumb_func
debug_trampoline_end:
    bkpt #0

    .include "flash.s"
