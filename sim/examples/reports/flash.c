// Public reports of code and data that wait for flash, rebuilt, one for each definition (docs/hunt.md, "Public
// reports"). For flash.ld; with sram.ld, nothing waits.
#include "../accuracy/accuracy.h"

#if defined(WALK) || defined(SCATTERED)
// pico-feedback#307: a walk along a table. A miss fetches a word, and never its line of 8 bytes: each word misses.
// klipper#6464: words here and there in a table that is larger than the cache.
enum { WORDS = 1024, TABLE = 8192 };
#ifdef WALK
enum { STEP = 1 };
#else
enum { STEP = TABLE / WORDS };
#endif
static const uint32_t table[TABLE] = {1};
static volatile uint32_t result;
__attribute__((noipa)) static uint32_t sum_up(const uint32_t *words) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        sum += words[i * STEP];
    }
    return sum;
}
static void measure(void) { result = sum_up(table); }

#elif defined(PIN_INTERRUPT)
// pico-sdk#2543: the handler of a pin acknowledges the event by a function in flash before it drives its answer.
#define IO_BANK0_INTR(at) REGISTER(0x400140f0 + 4 * (at))
#define PROC0_INTE(at) REGISTER(0x40014100 + 4 * (at))
enum { PIN = 2, ANSWER = 4, EDGE_LOW = 4, IRQ_IO_BANK0 = 13, EDGES = 20 };
static volatile uint32_t edges;

__attribute__((noipa)) static void acknowledge(uint32_t pin, uint32_t events) {
    IO_BANK0_INTR(pin / 8) = events << 4 * (pin % 8);
}
__attribute__((noipa)) static void answer(void) {
    acknowledge(PIN, EDGE_LOW);
    SIO_GPIO_OUT_SET = 1u << ANSWER;
    edges++;
}
static void measure(void) {
    SIO_GPIO_OUT_SET = 1u << PIN;
    SIO_GPIO_OE_SET = 1u << PIN | 1u << ANSWER;
    GPIO_CTRL(PIN) = FUNCTION_SIO;
    GPIO_CTRL(ANSWER) = FUNCTION_SIO;
    PROC0_INTE(PIN / 8) = (uint32_t)EDGE_LOW << 4 * (PIN % 8);
    IO_BANK0_INTR(PIN / 8) = 0xfu << 4 * (PIN % 8);
    set_handler(IRQ_IO_BANK0, answer);
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_IO_BANK0;
    __asm__ volatile("cpsie i");
    while (edges < EDGES) {
        SIO_GPIO_OUT_CLR = 1u << PIN;
        SIO_GPIO_OUT_CLR = 1u << ANSWER;
        SIO_GPIO_OUT_SET = 1u << PIN;
    }
}
#endif

void example(void) {
    speed_flash_up();
    measure();
}
