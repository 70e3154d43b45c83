// Start-up from reset, clocks, output, and the other core. The order and the numbers are the datasheet's: 2.15 clocks,
// 2.16 crystal, 2.18 PLL, 4.2 UART, 4.7 tick, 2.8.2 launch of core 1.
#include "chip.h"

#define CLEAR 0x3000u // alias that clears bits, 2.1.2
#define SET 0x2000u

#define RESETS_RESET 0x4000c000u
#define RESETS_RESET_DONE REGISTER(0x4000c008)
#define RESET_IO_BANK0 (1u << 5)
#define RESET_PADS_BANK0 (1u << 8)
#define RESET_PLL_SYS (1u << 12)
#define RESET_TIMER (1u << 21)
#define RESET_UART0 (1u << 22)

#define CLK_REF_CTRL REGISTER(0x40008030)
#define CLK_REF_SELECTED REGISTER(0x40008038)
#define CLK_SYS_CTRL REGISTER(0x4000803c)
#define CLK_SYS_SELECTED REGISTER(0x40008044)
#define CLK_PERI_CTRL REGISTER(0x40008048)
#define XOSC_CTRL REGISTER(0x40024000)
#define XOSC_STATUS REGISTER(0x40024004)
#define XOSC_STARTUP REGISTER(0x4002400c)
#define PLL_SYS_CS REGISTER(0x40028000)
#define PLL_SYS_PWR 0x40028004u
#define PLL_SYS_FBDIV_INT REGISTER(0x40028008)
#define PLL_SYS_PRIM REGISTER(0x4002800c)
#define WATCHDOG_TICK REGISTER(0x4005802c)
#define GPIO0_CTRL REGISTER(0x40014004)
#define GPIO1_CTRL REGISTER(0x4001400c)

extern uint32_t sram4_start[], sram4_end[], sram4_load[], sram5_start[], sram5_end[], sram5_load[];
extern uint32_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_0[], stack_1[];

static void release(uint32_t blocks) {
    REGISTER(RESETS_RESET + CLEAR) = blocks;
    while ((RESETS_RESET_DONE & blocks) != blocks) {
    }
}

static void set_clocks(void) {
    XOSC_CTRL = 0xaa0; // 1 to 15 MHz
    XOSC_STARTUP = 47; // about 1 ms, in units of 256 cycles of 12 MHz
    XOSC_CTRL = 0xfabaa0;
    while ((XOSC_STATUS & 1u << 31) == 0) {
    }
    release(RESET_PLL_SYS);
    PLL_SYS_CS = 1; // 12 MHz
    PLL_SYS_FBDIV_INT = 125;
    REGISTER(PLL_SYS_PWR + CLEAR) = 1 << 5 | 1 << 0; // VCO and PLL on
    while ((PLL_SYS_CS & 1u << 31) == 0) {
    }
    PLL_SYS_PRIM = 6 << 16 | 2 << 12; // 1500 MHz / 6 / 2 = 125 MHz
    REGISTER(PLL_SYS_PWR + CLEAR) = 1 << 3;
    CLK_REF_CTRL = 2; // crystal
    while (CLK_REF_SELECTED != 1 << 2) {
    }
    CLK_SYS_CTRL = 0 << 5;
    CLK_SYS_CTRL = 0 << 5 | 1; // PLL
    while (CLK_SYS_SELECTED != 1 << 1) {
    }
    CLK_PERI_CTRL = 1 << 11;     // on, from clk_sys
    WATCHDOG_TICK = 1 << 9 | 12; // 1 us
}

static void set_uart(void) {
    release(RESET_UART0 | RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_TIMER);
    GPIO0_CTRL = 2;
    GPIO1_CTRL = 2;
    UART0_IBRD = 67; // 125 MHz / (16 * 115200) = 67.82; 52/64 = 0.8125: a bit is 1085 cycles
    UART0_FBRD = 52;
    UART0_LCR_H = 3 << 5 | 1 << 4; // 8 bits, FIFOs
    UART0_CR = 1 << 9 | 1 << 8 | 1;
}

static void set_systick(void) {
    SYST_RVR = 0xffffff;
    SYST_CVR = 0;
    SYST_CSR = 1 << 2 | 1;
}

static void put(char character) {
    while ((UART0_FR & UART_FR_TXFF) != 0) {
    }
    UART0_DR = (uint8_t)character;
}

void print(const char *text) {
    for (; *text != 0; text++) {
        put(*text);
    }
}

void print_number(const char *name, uint32_t number) {
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    print(name);
    put(' ');
    while (count > 0) {
        put(digits[--count]);
    }
    put('\n');
}

void print_both(const char *name, uint32_t one, uint32_t other) {
    print(name);
    print_number(", sooner:", one < other ? one : other);
    print(name);
    print_number(", later:", one < other ? other : one);
}

static void copy(uint32_t *to, const uint32_t *end, const uint32_t *from) {
    while (to < end) {
        *(volatile uint32_t *)to++ = *from++;
    }
}

__attribute__((noreturn)) static void finish(uint32_t reason) {
    register uint32_t r0 __asm__("r0") = 0x18; // semihosting: SYS_EXIT
    register uint32_t r1 __asm__("r1") = reason;
    __asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1));
    for (;;) {
    }
}

static void fault(void) { finish(0x20023); } // ADP_Stopped_RunTimeErrorUnknown

__attribute__((noreturn)) void start(void) {
    __asm__ volatile("cpsid i");
    copy(sram4_start, sram4_end, sram4_load);
    copy(sram5_start, sram5_end, sram5_load);
    copy(data_start, data_end, data_load);
    for (volatile uint32_t *word = bss_start; word < bss_end;) {
        *word++ = 0;
    }
    set_clocks();
    set_uart();
    set_systick();
    example();
    while ((UART0_FR & UART_FR_BUSY) != 0) {
    }
    finish(0x20026); // ADP_Stopped_ApplicationExit
}

__attribute__((section(".vectors"), used)) static const void *const vectors[48] = {stack_0, start, fault, fault};

static void (*handlers[48])(void) __attribute__((aligned(256)));

void set_handler(int irq, void (*handler)(void)) {
    for (int i = 0; handlers[1] == 0 && i < 48; i++) {
        handlers[i] = (void (*)(void))vectors[i];
    }
    handlers[16 + irq] = handler;
    VTOR = (uint32_t)(uintptr_t)handlers;
}

static uint32_t receive(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) == 0) {
        __asm__ volatile("wfe");
    }
    return SIO_FIFO_RD;
}

static void send(uint32_t word) {
    while ((SIO_FIFO_ST & FIFO_RDY) == 0) {
    }
    SIO_FIFO_WR = word;
    __asm__ volatile("sev");
}

static void (*core_1_function)(void);

static void core_1(void) {
    __asm__ volatile("cpsid i");
    set_systick();
    core_1_function();
    for (;;) {
        __asm__ volatile("wfi");
    }
}

void start_core_1(void (*function)(void)) {
    core_1_function = function;
    const uint32_t table = handlers[1] != 0 ? (uint32_t)(uintptr_t)handlers : (uint32_t)(uintptr_t)vectors;
    const uint32_t words[] = {0, 0, 1, table, (uint32_t)(uintptr_t)stack_1, (uint32_t)(uintptr_t)core_1};
    for (unsigned i = 0; i < 6;) {
        if (words[i] == 0) {
            while ((SIO_FIFO_ST & FIFO_VLD) != 0) {
                (void)SIO_FIFO_RD;
            }
            __asm__ volatile("sev");
        }
        send(words[i]);
        i = receive() == words[i] ? i + 1 : 0;
    }
}

void serve(void) {
    for (;;) {
        uint32_t (*function)(uint32_t) = (uint32_t (*)(uint32_t))receive();
        const uint32_t argument = receive();
        NVIC_ICPR = ~0u;
        NVIC_ISER = 1u << IRQ_TIMER_0;
        send(function(argument));
    }
}

void ask_core_1(uint32_t (*function)(uint32_t), uint32_t argument) {
    TIMER_INTR = 1; // the alarm of the last start line, before core 1 clears what it made pending
    send((uint32_t)(uintptr_t)function);
    send(argument);
}

uint32_t core_1_result(void) { return receive(); }

void start_line(void) {
    TIMER_INTR = 1;
    TIMER_INTE = 1;
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_TIMER_0;
    TIMER_ALARM0 = TIMER_TIMERAWL + 100;
}
