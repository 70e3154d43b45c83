// From a falling edge at a pin to the level that the handler of its interrupt drives at another pin. The handler stands
// in a chain of handlers, as the SDK has them, and asks which of the pin's events it was. With ACKNOWLEDGE, it
// acknowledges the event before it drives the pin. Wire: GPIO 2 to GPIO 3.
#include "accuracy.h"

#define SIO_CPUID REGISTER(SIO + 0x00)
#define IO_BANK0_INTR(at) REGISTER(0x400140f0 + 4 * (at))
#define PROC0_INTE(at) REGISTER(0x40014100 + 4 * (at))
#define PROC0_INTS 0x40014120u
#define PROC1_INTS 0x40014150u
enum { OUT = 2, IN = 3, ANSWER = 4, EDGE_LOW = 4, IRQ_IO_BANK0 = 13 };
#define IN_RAM __attribute__((noinline, used, section(".sram4.code")))

static volatile uint32_t end;

IN_RAM static void acknowledge(uint32_t pin, uint32_t events) { IO_BANK0_INTR(pin / 8) = events << 4 * (pin % 8); }

static inline uint32_t events_of(uint32_t pin) {
    const uint32_t status = SIO_CPUID != 0 ? PROC1_INTS : PROC0_INTS;
    return REGISTER(status + pin / 8 * 4) >> 4 * (pin % 8) & 0xf;
}

IN_RAM void edge_fell(void) {
    if ((events_of(IN) & EDGE_LOW) != 0) {
#ifdef ACKNOWLEDGE
        acknowledge(IN, EDGE_LOW);
        SIO_GPIO_OUT_SET = 1u << ANSWER;
        end = SYST_CVR;
#else
        SIO_GPIO_OUT_SET = 1u << ANSWER;
        end = SYST_CVR;
        acknowledge(IN, EDGE_LOW);
#endif
    }
}

// The first element of the chain: an address, a jump, and the handler's own return to what follows.
__attribute__((naked, section(".sram4.code"))) static void chain(void) {
    __asm__(".syntax unified\n .align 2\n"
            "    add  r1, pc, #0\n"
            "    b    2f\n"
            "1:  pop  {r0, pc}\n"
            "    nop\n"
            "    .word edge_fell\n"
            "2:  push {r0, lr}\n"
            "    ldr  r0, [r1, #4]\n"
            "    adds r1, #1\n"
            "    mov  lr, r1\n"
            "    bx   r0\n");
}

__attribute__((noinline, section(".sram4.code"))) static uint32_t answer_time(void) {
    end = 0;
    const uint32_t begin = SYST_CVR;
    SIO_GPIO_OUT_CLR = 1u << OUT;
    while (end == 0) {
    }
    return (begin - end) & 0xffffffu;
}

void example(void) {
    speed_flash_up();
    SIO_GPIO_OUT_SET = 1u << OUT;
    SIO_GPIO_OE_SET = 1u << OUT | 1u << ANSWER;
    GPIO_CTRL(OUT) = FUNCTION_SIO;
    GPIO_CTRL(ANSWER) = FUNCTION_SIO;
    GPIO_CTRL(IN) = FUNCTION_SIO;
    PROC0_INTE(IN / 8) = (uint32_t)EDGE_LOW << 4 * (IN % 8);
    acknowledge(IN, 0xf);
    set_handler(IRQ_IO_BANK0, chain);
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_IO_BANK0;
    __asm__ volatile("cpsie i");
    print_number("edge to answer:", answer_time());
}
