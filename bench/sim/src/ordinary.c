// What ordinary firmware does beside computing, in rounds without end: it polls, sleeps, takes interrupts, and meets
// the other core at a lock. PROGRAM is one of the names below.
#include "chip.h"
#include "rounds.h"

#define SET 0x2000u // alias that sets bits, 2.1.2
#define CLEAR 0x3000u

#define GPIO_IN REGISTER(SIO + 0x04)
#define GPIO_OE_SET REGISTER(SIO + 0x24)
#define GPIO_OUT_XOR REGISTER(SIO + 0x1c)
#define SPINLOCK0 REGISTER(SIO + 0x100)
#define GPIO2_CTRL REGISTER(0x40014014)
#define RESETS_RESET 0x4000c000u
#define DMA 0x50000000u
#define TIMER_PACES 0x3b // TREQ of DMA timer 0, 2.5.7

enum { PIN = 1u << 2, LONG = 6000, SHORT = 20 };

static uint32_t shared;

static void compute(uint32_t core) {
    for (uint32_t hash = 1;; done(core, hash)) {
        hash = work(hash, LONG);
    }
}

// Both cores wait for a time of TIMER.
static void timer(uint32_t core) {
    for (uint32_t hash = 1;; done(core, hash)) {
        const uint32_t begun = TIMER_TIMERAWL;
        while (TIMER_TIMERAWL - begun < 300) {
        }
        hash = work(hash, SHORT);
    }
}

// Core 0 prints, and waits for room in the FIFO.
static void uart(uint32_t core) {
    if (core == 1) {
        compute(1);
    }
    for (uint32_t hash = 1;; done(0, hash)) {
        print("forty characters, of which 32 fit at once");
        hash = work(hash, SHORT);
    }
}

// Core 0 waits for a pin that core 1 drives.
static void gpio(uint32_t core) {
    if (core == 1) {
        for (uint32_t hash = 1;; done(1, hash)) {
            hash = work(hash, LONG);
            GPIO_OUT_XOR = PIN;
        }
    }
    uint32_t level = GPIO_IN & PIN;
    for (uint32_t hash = 1;; done(0, hash)) {
        while ((GPIO_IN & PIN) == level) {
        }
        level ^= PIN;
        hash = work(hash, SHORT);
    }
}

// Core 0 drives a pin by itself, about 6 times a microsecond, and core 1 waits for a time of TIMER.
static void toggle(uint32_t core) {
    if (core == 1) {
        timer(1);
    }
    for (uint32_t hash = 1;; done(0, hash)) {
        for (uint32_t i = 0; i < 2000; i++) {
            GPIO_OUT_XOR = PIN;
            hash = work(hash, 1);
        }
    }
}

// Core 0 sleeps 500 us at a time; interrupts are masked, so that the alarm only wakes it.
static void sleep(uint32_t core) {
    if (core == 1) {
        compute(1);
    }
    TIMER_INTE = 1;
    NVIC_ISER = 1 << IRQ_TIMER_0;
    for (uint32_t hash = 1;; done(0, hash)) {
        TIMER_ALARM0 = TIMER_TIMERAWL + 500;
        __asm__ volatile("wfi");
        TIMER_INTR = 1;
        NVIC_ICPR = 1 << IRQ_TIMER_0;
        hash = work(hash, SHORT);
    }
}

// Both cores add to a number that a hardware spinlock protects.
static void lock(uint32_t core) {
    for (uint32_t hash = 1;; done(core, hash)) {
        for (uint32_t i = 0; i < 200; i++) {
            while (SPINLOCK0 == 0) {
            }
            shared++;
            __asm__ volatile("dmb" ::: "memory");
            SPINLOCK0 = 0;
            hash = work(hash, SHORT);
        }
    }
}

static void rearm(void) {
    TIMER_INTR = 1;
    TIMER_ALARM0 = TIMER_TIMERAWL + 10;
    shared++;
}

// An alarm interrupts core 0 each 10 us.
static void interrupt(uint32_t core) {
    if (core == 0) {
        set_handler(IRQ_TIMER_0, rearm);
        TIMER_INTE = 1;
        NVIC_ISER = 1 << IRQ_TIMER_0;
        rearm();
        __asm__ volatile("cpsie i");
    }
    compute(core);
}

// A channel copies a word each 100 cycles, around in 1 KiB.
static void dma(uint32_t core) {
    static uint32_t ring[256] __attribute__((aligned(1024)));
    if (core == 0) {
        REGISTER(RESETS_RESET + CLEAR) = 1 << 2;
        REGISTER(DMA + 0x420) = 1 << 16 | 100;
        REGISTER(DMA + 0x00) = (uint32_t)ring;
        REGISTER(DMA + 0x04) = (uint32_t)&shared;
        REGISTER(DMA + 0x08) = 0xffffffff;
        REGISTER(DMA + 0x0c) = TIMER_PACES << 15 | 0 << 11 | 10 << 6 | 1 << 4 | 2 << 2 | 1;
    }
    compute(core);
}

static void program(uint32_t core) {
    PROGRAM(core);
}

static void second(void) {
    SYST_CSR = 0;
    program(1);
}

void example(void) {
    SYST_CSR = 0; // chip.c started it; nobody reads it here
    GPIO2_CTRL = 5;
    GPIO_OE_SET = PIN;
    start_core_1(second);
    program(0);
}
