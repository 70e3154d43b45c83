// Both PIO blocks, both cores, and the DMA.
//
// A line: state machine 0 of PIO0 sends bytes on GPIO 2, and that of PIO1 receives them there. Core 1 sleeps until
// PIO1 interrupts it. A bit takes 8 cycles, and a frame of start bit, eight bits and the PULL that is the stop bit
// 80.
//
// A pipe: state machine 1 of PIO0 moves words from its TX FIFO to its RX FIFO. The DMA fills the one and empties the
// other.
//
// Edges: core 0 toggles GPIO 3 by SIO, a store a cycle and five cycles between two, and state machine 2 counts them
// in X.
#include "chip.h"

#define RESETS_CLEAR REGISTER(0x4000f000)
#define RESET_DMA (1u << 2)
#define RESET_PIO (3u << 10)
#define GPIO_CTRL(pin) REGISTER(0x40014004 + 8 * (pin))
#define SIO_GPIO_OE_SET REGISTER(SIO + 0x24)
#define SIO_GPIO_OUT_XOR REGISTER(SIO + 0x1c)

#define PIO0 0x50200000u
#define PIO1 0x50300000u
#define CTRL(pio) REGISTER((pio) + 0x00)
#define FSTAT(pio) REGISTER((pio) + 0x04)
#define TXF(pio, sm) REGISTER((pio) + 0x10 + 4 * (sm))
#define RXF(pio, sm) REGISTER((pio) + 0x20 + 4 * (sm))
#define INSTR_MEM(pio, at) REGISTER((pio) + 0x48 + 4 * (at))
#define EXECCTRL(pio, sm) REGISTER((pio) + 0xcc + 24 * (sm))
#define SHIFTCTRL(pio, sm) REGISTER((pio) + 0xd0 + 24 * (sm))
#define INSTR(pio, sm) REGISTER((pio) + 0xd8 + 24 * (sm))
#define PINCTRL(pio, sm) REGISTER((pio) + 0xdc + 24 * (sm))
#define IRQ0_INTE(pio) REGISTER((pio) + 0x12c)
enum { IRQ_PIO1_0 = 9, DREQ_PIO0_TX1 = 1, DREQ_PIO0_RX1 = 5 };

#define DMA_CHANNEL(number, offset) REGISTER(0x50000000 + 0x40 * (number) + (offset))
#define DMA_BUSY (1u << 24)

enum { BYTES = 32, WORDS = 64, EDGES = 100 };
static volatile uint32_t received, sum;
static uint32_t from[WORDS], to[WORDS];

static void load(uint32_t pio, uint32_t at, const uint16_t *program, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        INSTR_MEM(pio, at + i) = program[i];
    }
}

// Wraps from `last` to `first`, and begins at `first`.
static void set_up(uint32_t pio, uint32_t sm, uint32_t first, uint32_t last, uint32_t shiftctrl, uint32_t pinctrl) {
    EXECCTRL(pio, sm) = last << 12 | first << 7;
    SHIFTCTRL(pio, sm) = shiftctrl;
    PINCTRL(pio, sm) = pinctrl;
    INSTR(pio, sm) = first; // jmp first
}

static void handle_byte(void) {
    sum += RXF(PIO1, 0) >> 24;
    received++;
}

static void listen(void) {
    NVIC_ISER = 1u << IRQ_PIO1_0;
    __asm__ volatile("cpsie i");
    for (;;) {
        __asm__ volatile("wfi");
    }
}

static void line(void) {
    static const uint16_t transmitter[] = {
        0x9fa0, // pull        side 1 [7]: the line is idle, or at its stop bit
        0xf727, // set x, 7    side 0 [7]: start bit
        0x6001, // out pins, 1
        0x0642, // jmp x-- 2          [6]
    };
    static const uint16_t receiver[] = {
        0x2020, // wait 0 pin 0
        0xea27, // set x, 7    [10]: to the middle of the first bit
        0x4001, // in pins, 1
        0x0642, // jmp x-- 2   [6]
    };
    GPIO_CTRL(2) = 6;
    load(PIO0, 0, transmitter, 4);
    PINCTRL(PIO0, 0) = 1u << 26 | 2u << 5;
    INSTR(PIO0, 0) = 0xe001; // set pins, 1
    INSTR(PIO0, 0) = 0xe081; // set pindirs, 1
    // Side-set of one bit and one that enables it; OUT to the same pin.
    set_up(PIO0, 0, 0, 3, 1u << 19, 2u << 29 | 2u << 10 | 1u << 20 | 2u);
    EXECCTRL(PIO0, 0) |= 1u << 30;
    load(PIO1, 0, receiver, 4);
    set_up(PIO1, 0, 0, 3, 8u << 20 | 1u << 18 | 1u << 16, 2u << 15);
    IRQ0_INTE(PIO1) = 1;
    CTRL(PIO0) = 1;
    CTRL(PIO1) = 1;
    set_handler(IRQ_PIO1_0, handle_byte);
    start_core_1(listen);
    uint32_t sent = 0;
    for (uint32_t i = 0; i < BYTES; i++) {
        uint32_t byte = i * 73 & 0xff;
        sent += byte;
        while ((FSTAT(PIO0) & 1u << 16) != 0) {
        }
        TXF(PIO0, 0) = byte;
    }
    while (received < BYTES) {
    }
    print_number("bytes over a line:", received);
    print_number("wrong:", sum != sent);
}

static void pipe(void) {
    static const uint16_t program[] = {
        0x6020, // out x, 32
        0x4020, // in x, 32
    };
    load(PIO0, 8, program, 2);
    set_up(PIO0, 1, 8, 9, 3u << 18 | 3u << 16, 0);
    for (uint32_t i = 0; i < WORDS; i++) {
        from[i] = i * 0x9e3779b9u;
    }
    CTRL(PIO0) = 3;
    const uint32_t word = 2u << 2, increment_read = 1u << 4, increment_write = 1u << 5;
    DMA_CHANNEL(1, 0x0) = PIO0 + 0x24;
    DMA_CHANNEL(1, 0x4) = (uint32_t)to;
    DMA_CHANNEL(1, 0x8) = WORDS;
    DMA_CHANNEL(1, 0xc) = 1 | word | increment_write | 1u << 11 | (uint32_t)DREQ_PIO0_RX1 << 15;
    DMA_CHANNEL(0, 0x0) = (uint32_t)from;
    DMA_CHANNEL(0, 0x4) = PIO0 + 0x14;
    DMA_CHANNEL(0, 0x8) = WORDS;
    DMA_CHANNEL(0, 0xc) = 1 | word | increment_read | 0u << 11 | (uint32_t)DREQ_PIO0_TX1 << 15;
    while ((DMA_CHANNEL(1, 0xc) & DMA_BUSY) != 0) {
    }
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        wrong += to[i] != from[i];
    }
    print_number("words through a pipe:", WORDS);
    print_number("wrong:", wrong);
}

static void edges(void) {
    static const uint16_t program[] = {
        0x2083, // wait 1 gpio 3
        0x0052, // jmp x-- 18
        0x2003, // wait 0 gpio 3
        0x0050, // jmp x-- 16
    };
    load(PIO0, 16, program, 4);
    GPIO_CTRL(3) = 5;
    SIO_GPIO_OE_SET = 1u << 3;
    set_up(PIO0, 2, 16, 19, 1u << 18, 0);
    INSTR(PIO0, 2) = 0xa02b; // mov x, ~null
    CTRL(PIO0) = 7;
    for (uint32_t i = 0; i < EDGES; i++) {
        SIO_GPIO_OUT_XOR = 1u << 3;
        __asm__ volatile("nop; nop; nop");
    }
    __asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
    INSTR(PIO0, 2) = 0xa0c9; // mov isr, ~x
    INSTR(PIO0, 2) = 0x8020; // push
    while ((FSTAT(PIO0) & 1u << 10) != 0) {
    }
    print_number("edges:", RXF(PIO0, 2));
}

void example(void) {
    RESETS_CLEAR = RESET_DMA | RESET_PIO;
    line();
    pipe();
    edges();
}
