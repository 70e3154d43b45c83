// Three DMA channels, each of which starts the next, copy words within the striped SRAM; the handler of their
// interrupt, and all that it uses, is in SRAM4. A buffer is copied to itself, some words lower. Before, core 0 reads a
// word of each bank, as a program that prints its results does: who had a bank last decides who waits first.
#include "accuracy.h"

enum { CHANNELS = 3, MOST = 50000, RUNS = 2, RESET_DMA = 1 << 2, IRQ_DMA_0 = 11 };
#define DMA 0x50000000u
#define READ_ADDR(channel) REGISTER(DMA + 0x40 * (channel) + 0x00)
#define WRITE_ADDR(channel) REGISTER(DMA + 0x40 * (channel) + 0x04)
#define TRANS_COUNT(channel) REGISTER(DMA + 0x40 * (channel) + 0x08)
#define CTRL_TRIG(channel) REGISTER(DMA + 0x40 * (channel) + 0x0c)
#define AL1_CTRL(channel) REGISTER(DMA + 0x40 * (channel) + 0x10)
#define INTE0 REGISTER(DMA + 0x404)
#define INTS0 REGISTER(DMA + 0x40c)
enum { ENABLED = 1, WORDS = 2 << 2, READ_GOES_ON = 1 << 4, WRITE_GOES_ON = 1 << 5, AT_FULL_SPEED = 0x3f << 15 };

static uint32_t buffer[MOST + 12] __attribute__((aligned(16)));
__attribute__((section(".sram4.data"))) static struct {
    volatile int runs;
    uint32_t from, to, words, last, took;
} now_running = {0};

static inline uint32_t control(uint32_t next) {
    return ENABLED | WORDS | READ_GOES_ON | WRITE_GOES_ON | AT_FULL_SPEED | next << 11;
}

static inline void refresh(uint32_t channel, int runs_left) {
    READ_ADDR(channel) = now_running.from;
    WRITE_ADDR(channel) = now_running.to;
    TRANS_COUNT(channel) = now_running.words;
    // A channel that is to be the last one names itself: it starts none.
    AL1_CTRL(channel) = control(runs_left > CHANNELS ? (channel + 1) % CHANNELS : channel);
}

__attribute__((section(".sram4.code"))) static void channel_ended(void) {
    const uint32_t tick = SYST_CVR;
    const uint32_t ended = INTS0;
    const uint32_t channel = ended >> 1;
    INTS0 = ended;
    now_running.took = (now_running.last - tick) & 0xffffffu;
    now_running.last = tick;
    refresh(channel, --now_running.runs);
}

// Masked, so that the last interrupt does not come between the look and the sleep.
static inline void wait_until(int runs_left) {
    while (now_running.runs > runs_left) {
        __asm__ volatile("cpsid i");
        if (now_running.runs > runs_left) {
            __asm__ volatile("wfi");
        }
        __asm__ volatile("cpsie i");
    }
}

__attribute__((noinline, section(".sram4.code"))) static uint32_t copy(uint32_t from, uint32_t to, uint32_t words) {
    now_running.from = (uint32_t)(uintptr_t)(buffer + 8 + from);
    now_running.to = (uint32_t)(uintptr_t)(buffer + to);
    now_running.words = words;
    now_running.runs = RUNS + CHANNELS;
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        refresh(channel, RUNS + CHANNELS);
    }
    for (uint32_t word = 0; word < 4; word++) {
        (void)((volatile uint32_t *)buffer)[word];
    }
    CTRL_TRIG(0) = control(1);
    wait_until(CHANNELS);
    const uint32_t took = now_running.took;
    wait_until(0);
    return took;
}

void example(void) {
    speed_flash_up();
    release(RESET_DMA);
    set_handler(IRQ_DMA_0, channel_ended);
    INTE0 = 7;
    NVIC_ISER = 1u << IRQ_DMA_0;
    __asm__ volatile("cpsie i");
    for (uint32_t words = MOST; words > MOST - 4; words -= 2) {
        for (uint32_t from = 0; from < 4; from++) {
            for (uint32_t to = 0; to < 4; to++) {
                char name[] = "50000 words, 0 to 0:";
                for (uint32_t digit = 0, rest = words; digit < 5; digit++, rest /= 10) {
                    name[4 - digit] = (char)('0' + rest % 10);
                }
                name[13] = "048C"[from];
                name[18] = "048C"[to];
                print_number(name, copy(from, to, words));
            }
        }
    }
}
