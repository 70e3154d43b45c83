// What the run-time of an ordinary bare-metal program does on this chip, in the order in which the pico-sdk does it,
// and then a little of everything that the simulator must have for it. Every check that fails ends the run with its
// line as exit code.
#include <stddef.h>
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define XOR 0x1000u // aliases, datasheet 2.1.2
#define SET 0x2000u
#define CLEAR 0x3000u

enum {
    SYSINFO = 0x40000000,
    CLOCKS = 0x40008000,
    RESETS = 0x4000c000,
    PSM = 0x40010000,
    IO_BANK0 = 0x40014000,
    PADS_BANK0 = 0x4001c000,
    XOSC = 0x40024000,
    PLL_SYS = 0x40028000,
    PLL_USB = 0x4002c000,
    UART0 = 0x40034000,
    PWM = 0x40050000,
    TIMER = 0x40054000,
    WATCHDOG = 0x40058000,
    DMA = 0x50000000,
};
#define SIO 0xd0000000u
#define SYSTICK 0xe000e010u
#define NVIC_ISER 0xe000e100u
#define NVIC_ICPR 0xe000e280u
#define NVIC_IPR 0xe000e400u
#define VTOR 0xe000ed08u

extern uint32_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_0[], stack_1[];

__attribute__((noreturn)) static void finish(uint32_t status) {
    const uint32_t block[2] = {0x20026, status}; // ADP_Stopped_ApplicationExit
    register uint32_t r0 __asm__("r0") = 0x20;   // SYS_EXIT_EXTENDED
    register const uint32_t *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1) : "memory");
    for (;;) {
    }
}

static void check(int ok, uint32_t line) {
    if (!ok) {
        finish(line);
    }
}
#define CHECK(condition) check(condition, __LINE__)

// Blocks by their bit in RESETS, datasheet 2.14.
enum {
    ALL_BLOCKS = 0x01ffffff,
    IO_QSPI = 1 << 6,
    PADS_QSPI = 1 << 9,
    PLLS = 1 << 12 | 1 << 13,
    USB = 1 << 24,
    SYSCFG = 1 << 18,
    NEED_CLOCKS = 1 << 0 | 1 << 15 | 1 << 16 | 1 << 17 | 1 << 22 | 1 << 23 | 1 << 24, // ADC, RTC, SPI, UART, USB
};

static void release(uint32_t blocks) {
    REG(RESETS + CLEAR) = blocks;
    while (~REG(RESETS + 8) & blocks) {
    }
}

static void start_pll(uint32_t pll, uint32_t reset, uint32_t feedback, uint32_t divider1, uint32_t divider2) {
    REG(RESETS + SET) = reset;
    release(reset);
    REG(pll) = 1;
    REG(pll + 8) = feedback;
    REG(pll + 4 + CLEAR) = 1 << 0 | 1 << 5;
    while (!(REG(pll) >> 31)) {
    }
    REG(pll + 12) = divider1 << 16 | divider2 << 12;
    REG(pll + 4 + CLEAR) = 1 << 3;
}

enum { CLK_REF = 4, CLK_SYS, CLK_PERI, CLK_USB, CLK_ADC, CLK_RTC };

static void set_clock(uint32_t number, uint32_t source, uint32_t auxiliary, uint32_t divider) {
    const uint32_t control = CLOCKS + 12 * number;
    const int glitchless = number == CLK_REF || number == CLK_SYS;
    if (number != CLK_PERI && divider > REG(control + 4)) {
        REG(control + 4) = divider;
    }
    if (glitchless && source == 1) {
        REG(control + CLEAR) = 3;
        while (!(REG(control + 8) & 1)) {
        }
    } else if (!glitchless) {
        REG(control + CLEAR) = 1 << 11;
        for (volatile int i = 0; i < 20; i++) { // until it stands still
        }
    }
    REG(control + XOR) = (REG(control) ^ auxiliary << 5) & 0xe0;
    if (glitchless) {
        REG(control + XOR) = (REG(control) ^ source) & 3;
        while (!(REG(control + 8) & 1u << source)) {
        }
    }
    REG(control + SET) = 1 << 11;
    if (number != CLK_PERI) {
        REG(control + 4) = divider;
    }
}

static void start_clocks(void) {
    REG(WATCHDOG + 0x2c) = 12 | 1 << 9;
    REG(CLOCKS + 0x78) = 0; // no resus
    REG(XOSC) = 0xaa0;
    REG(XOSC + 0xc) = 47;
    REG(XOSC + SET) = 0xfab << 12;
    while (!(REG(XOSC + 4) >> 31)) {
    }
    REG(CLOCKS + 12 * CLK_SYS + CLEAR) = 1;
    while (REG(CLOCKS + 12 * CLK_SYS + 8) != 1) {
    }
    REG(CLOCKS + 12 * CLK_REF + CLEAR) = 3;
    while (REG(CLOCKS + 12 * CLK_REF + 8) != 1) {
    }
    start_pll(PLL_SYS, 1 << 12, 125, 6, 2); // 1500 MHz / 6 / 2
    start_pll(PLL_USB, 1 << 13, 100, 5, 5); // 1200 MHz / 5 / 5
    set_clock(CLK_REF, 2, 0, 1 << 8);
    set_clock(CLK_SYS, 1, 0, 1 << 8);
    set_clock(CLK_USB, 0, 0, 1 << 8);
    set_clock(CLK_ADC, 0, 0, 1 << 8);
    set_clock(CLK_RTC, 0, 0, 1024 << 8);
    set_clock(CLK_PERI, 0, 0, 1 << 8);
}

// The counter of datasheet 2.15.4: a clock's rate in kHz.
static uint32_t count_khz(uint32_t clock) {
    while (REG(CLOCKS + 0x98) & 1 << 8) {
    }
    REG(CLOCKS + 0x80) = 12000;
    REG(CLOCKS + 0x90) = 10;
    REG(CLOCKS + 0x84) = 0;
    REG(CLOCKS + 0x88) = 0xffffffff;
    REG(CLOCKS + 0x94) = clock;
    while (!(REG(CLOCKS + 0x98) & 1 << 4)) {
    }
    return REG(CLOCKS + 0x9c) >> 5;
}

static void print(const char *text) {
    for (; *text; text++) {
        while (REG(UART0 + 0x18) & 1 << 5) {
        }
        REG(UART0) = (uint8_t)*text;
    }
}

static void start_uart(void) {
    REG(UART0 + 0x24) = 67; // 125 MHz / 16 / 115200
    REG(UART0 + 0x28) = 52;
    REG(UART0 + 0x2c) = 3 << 5 | 1 << 4;
    REG(UART0 + 0x30) = 1 << 9 | 1 << 8 | 1;
    REG(UART0 + 0x48) = 3;
    for (uint32_t pin = 0; pin < 2; pin++) {
        REG(PADS_BANK0 + 4 + 4 * pin + XOR) = (REG(PADS_BANK0 + 4 + 4 * pin) ^ 1 << 6) & (1 << 7 | 1 << 6);
        REG(IO_BANK0 + 8 * pin + 4) = 2;
    }
}

static uint64_t now_us(void) {
    uint32_t high = REG(TIMER + 0x24), low;
    for (uint32_t before;; high = before) {
        low = REG(TIMER + 0x28);
        before = REG(TIMER + 0x24);
        if (before == high) {
            return (uint64_t)high << 32 | low;
        }
    }
}

typedef void (*handler)(void);
static handler table[48] __attribute__((aligned(256)));
static volatile uint32_t ticks, alarms, received, alarm_at;

static void on_tick(void) { ticks++; }

static void on_alarm(void) {
    REG(TIMER + 0x34 + CLEAR) = 1;
    alarm_at = REG(TIMER + 0x28);
    alarms++;
}

static void on_word(void) {
    while (REG(SIO + 0x50) & 1) {
        received += REG(SIO + 0x58);
    }
    REG(SIO + 0x50) = 0xff;
}

static void unexpected(void) { finish(1); }

static void send(uint32_t word) {
    while (!(REG(SIO + 0x50) & 2)) {
    }
    REG(SIO + 0x54) = word;
    __asm__ volatile("sev");
}

static uint32_t receive(void) {
    while (!(REG(SIO + 0x50) & 1)) {
        __asm__ volatile("wfe");
    }
    return REG(SIO + 0x58);
}

static void drain(void) {
    while (REG(SIO + 0x50) & 1) {
        (void)REG(SIO + 0x58);
    }
}

static volatile uint32_t shared, core_1_id;

static void count_under_lock(void) {
    for (int i = 0; i < 1000; i++) {
        while (REG(SIO + 0x100 + 4 * 24) == 0) {
        }
        __asm__ volatile("dmb");
        shared = shared + 1;
        __asm__ volatile("dmb");
        REG(SIO + 0x100 + 4 * 24) = 0;
    }
}

__attribute__((noreturn)) static void main_1(void) {
    core_1_id = REG(SIO);
    count_under_lock();
    for (uint32_t word = 1; word <= 10; word++) {
        send(word);
    }
    for (;;) {
        __asm__ volatile("wfi");
    }
}

static void launch_core_1(void) {
    REG(PSM + 4 + SET) = 1 << 16;
    while (!(REG(PSM + 4) & 1 << 16)) {
    }
    REG(PSM + 4 + CLEAR) = 1 << 16;
    CHECK(receive() == 0);
    const uint32_t words[] = {0, 0, 1, REG(VTOR), (uint32_t)(uintptr_t)stack_1, (uint32_t)(uintptr_t)main_1};
    for (uint32_t i = 0; i < 6;) {
        if (words[i] == 0) {
            drain();
            __asm__ volatile("sev");
        }
        send(words[i]);
        i = receive() == words[i] ? i + 1 : 0;
    }
}

static uint32_t from[256], to[256];

static void copy_by_dma(void) {
    for (uint32_t i = 0; i < 256; i++) {
        from[i] = i * 2654435761u;
    }
    REG(DMA) = (uint32_t)(uintptr_t)from;
    REG(DMA + 4) = (uint32_t)(uintptr_t)to;
    REG(DMA + 8) = 256;
    REG(DMA + 12) = 0x3f << 15 | 0 << 11 | 1 << 5 | 1 << 4 | 2 << 2 | 1;
    while (REG(DMA + 12) & 1 << 24) {
    }
    CHECK(REG(DMA + 0x400) == 1);
    REG(DMA + 0x400) = 1;
    CHECK(REG(DMA + 0x400) == 0);
    for (uint32_t i = 0; i < 256; i++) {
        CHECK(to[i] == from[i]);
    }
}

// One piece of code for all readings, so that they are equally far apart.
__attribute__((noinline)) static void read_clocks(uint32_t *up, uint32_t *down) {
    *up = REG(PWM + 8);
    *down = REG(SYSTICK + 8);
}

// The same stretch of code by two clocks that count cycles: PWM slice 0, up, and SysTick, down. Once for the flash
// cache.
static void compare_clocks(void) {
    uint32_t up[2], down[2];
    REG(PWM + 0x10) = 0xffff;
    REG(PWM + 0x04) = 1 << 4;
    REG(PWM) = 1;
    for (int round = 0; round < 2; round++) {
        read_clocks(&up[0], &down[0]);
        for (volatile int i = 0; i < 500; i++) {
        }
        read_clocks(&up[1], &down[1]);
    }
    const uint32_t cycles = (up[1] - up[0]) & 0xffff;
    CHECK(cycles > 5000 && cycles == ((down[0] - down[1]) & 0xffffff));
}

static void use_divider(void) {
    REG(SIO + 0x68) = (uint32_t)-1000;
    REG(SIO + 0x6c) = 7;
    while (!(REG(SIO + 0x78) & 1)) {
    }
    const uint32_t remainder = REG(SIO + 0x74), quotient = REG(SIO + 0x70);
    CHECK((int32_t)quotient == -142 && (int32_t)remainder == -6);
}

static void use_rom(void) {
    typedef void *(*lookup)(uint16_t *, uint32_t);
    const lookup find = (lookup)(uintptr_t)*(volatile uint16_t *)0x18;
    uint16_t *functions = (uint16_t *)(uintptr_t)*(volatile uint16_t *)0x14;
    uint32_t (*popcount)(uint32_t) = (uint32_t (*)(uint32_t))find(functions, 'P' | '3' << 8);
    CHECK(popcount != NULL && popcount(0xf0f00001) == 9);
}

static void use_pin(void) {
    const uint32_t led = 1u << 25;
    REG(SIO + 0x28) = led;
    REG(SIO + 0x18) = led;
    REG(IO_BANK0 + 8 * 25 + 4) = 5;
    REG(SIO + 0x24) = led;
    REG(SIO + 0x14) = led;
    CHECK(REG(SIO + 4) & led);
    REG(SIO + 0x1c) = led;
    CHECK(!(REG(SIO + 4) & led));
}

__attribute__((noreturn)) void start(void);

void start(void) {
    for (uint32_t *word = data_start, *load = data_load; word < data_end;) {
        *(volatile uint32_t *)word++ = *load++;
    }
    for (volatile uint32_t *word = bss_start; word < bss_end;) {
        *word++ = 0;
    }
    REG(RESETS + SET) = ALL_BLOCKS & ~(IO_QSPI | PADS_QSPI | PLLS | USB | SYSCFG);
    release(ALL_BLOCKS & ~NEED_CLOCKS);
    start_clocks();
    release(ALL_BLOCKS);
    for (uint32_t lock = 0; lock < 32; lock++) {
        REG(SIO + 0x100 + 4 * lock) = 0;
    }
    CHECK(REG(SIO + 0x5c) == 0);
    for (uint32_t i = 0; i < 8; i++) {
        REG(NVIC_IPR + 4 * i) = 0x80808080;
    }
    for (int i = 0; i < 48; i++) {
        table[i] = unexpected;
    }
    table[15] = on_tick;
    table[16] = on_alarm;
    table[16 + 15] = on_word;
    REG(VTOR) = (uint32_t)(uintptr_t)table;

    CHECK((REG(SYSINFO) & 0x0fffffff) == (2 << 12 | 0x927)); // part, manufacturer
    CHECK(count_khz(9) == 125000 && count_khz(8) == 12000 && count_khz(11) == 48000);
    start_uart();
    print("Hello\r\n");

    REG(SYSTICK + 4) = 125000 - 1; // 1 ms
    REG(SYSTICK + 8) = 0;
    REG(SYSTICK) = 7;
    const uint64_t begin = now_us();
    while (now_us() - begin < 10500) {
    }
    CHECK(ticks == 10);
    REG(SYSTICK) = 0;

    REG(TIMER + 0x38 + SET) = 1;
    REG(NVIC_ICPR) = 1;
    REG(NVIC_ISER) = 1;
    const uint32_t target = REG(TIMER + 0x28) + 500;
    REG(TIMER + 0x10) = target;
    while (alarms == 0) {
        __asm__ volatile("wfi");
    }
    // In flash each word of the handler is a miss of 0.7 us.
    CHECK(alarm_at - target <= 10 && alarms == 1 && (REG(TIMER + 0x20) & 1) == 0);

    REG(SYSTICK + 4) = 0xffffff;
    REG(SYSTICK + 8) = 0;
    REG(SYSTICK) = 5;
    compare_clocks();
    use_divider();
    use_rom();
    use_pin();
    copy_by_dma();

    drain();
    launch_core_1();
    count_under_lock();
    REG(NVIC_ISER) = 1 << 15;
    while (received != 55) {
        __asm__ volatile("wfi");
    }
    CHECK(core_1_id == 1 && shared == 2000);

    REG(WATCHDOG + CLEAR) = 1 << 30;
    REG(PSM + 8 + SET) = 0x1ffff & ~3u;
    REG(WATCHDOG + 4) = 2 * 1000;
    REG(WATCHDOG + SET) = 1 << 30;
    const uint64_t armed = now_us();
    while (now_us() - armed < 900) {
    }
    REG(WATCHDOG + 4) = 2 * 1000;
    while (now_us() - armed < 1800) {
    }
    REG(WATCHDOG + CLEAR) = 1 << 30;

    print("done\r\n");
    while (REG(UART0 + 0x18) & 1 << 3) {
    }
    finish(0);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_0,
    start,
    unexpected,
    unexpected,
};
