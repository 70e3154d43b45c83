// Programs in which cores, handlers and DMA change what they share without an order, one for each definition; with
// MENDED, the same as it ought to be.
#include "../chip.h"
#include <stdbool.h>

#define SPINLOCK(number) REGISTER(SIO + 0x100 + 4 * (number))
#define CPUID REGISTER(SIO)
#define TIMER_ALARM1 REGISTER(0x40054014)
#define SIO_GPIO_OUT REGISTER(SIO + 0x10)
#define SIO_GPIO_OUT_XOR REGISTER(SIO + 0x1c)
#define RESETS_RESET_CLEAR REGISTER(0x4000f000)
#define DMA_CH0_READ_ADDR REGISTER(0x50000000)
#define DMA_CH0_WRITE_ADDR REGISTER(0x50000004)
#define DMA_CH0_TRANS_COUNT REGISTER(0x50000008)
#define DMA_CH0_CTRL_TRIG REGISTER(0x5000000c)
#define BARRIER() __asm__ volatile("dmb" ::: "memory")

enum { ROUNDS = 300, ALARM_US = 7, NOBODY = 2, TURNS = 100000, BATCH = 40 };

#ifdef MENDED
enum { LOCK_0 = 5, LOCK_1 = 5 };
#else
enum { LOCK_0 = 5, LOCK_1 = 6 };
#endif

struct node {
    struct node *volatile next;
};
struct settings {
    volatile uint32_t gain, offset, sum;
};

static volatile uint32_t counter, fifo_word;
static volatile uint64_t uptime;
static volatile uint32_t source, buffer[32];
static volatile bool interrupted;
static volatile uint32_t ring[16], head;
static volatile uint8_t led_bits;
static struct settings settings;
static struct node pool[2][ROUNDS], *volatile list;
static struct node objects[2], *volatile object;
static volatile uint32_t instances, taken, finished, owner = NOBODY, turn;
static volatile bool interrupted_on[2];

static void take(uint32_t number) {
    while (SPINLOCK(number) == 0) {
    }
    BARRIER();
}

static void give(uint32_t number) {
    BARRIER();
    SPINLOCK(number) = 0;
}

// A lock that only the mended program takes.
static void lock(void) {
#ifdef MENDED
    take(7);
#endif
}

static void unlock(void) {
#ifdef MENDED
    give(7);
#endif
}

__attribute__((noipa)) static void spend(uint32_t turns) {
    for (volatile uint32_t turn_left = turns; turn_left > 0; turn_left--) {
    }
}

__attribute__((noipa)) static void count(void) {
    lock();
    counter++;
    unlock();
}

__attribute__((noipa)) static void count_with_lock(uint32_t number) {
    take(number);
    counter++;
    give(number);
}

__attribute__((noipa)) static void count_without_lock(void) {
#ifdef MENDED
    take(LOCK_0);
#endif
    counter++;
#ifdef MENDED
    give(LOCK_0);
#endif
}

__attribute__((noipa)) static void put(uint32_t value) {
    lock();
    ring[head & 15] = value;
    head++;
    unlock();
}

__attribute__((noipa)) static void set_led(uint8_t mask) {
    lock();
    led_bits ^= mask;
    unlock();
}

__attribute__((noipa)) static void set_gain(uint32_t gain) {
    lock();
    settings.gain = gain;
    settings.offset = gain / 2;
    settings.sum = gain + gain / 2;
    unlock();
}

__attribute__((noipa)) static void push(struct node *node) {
    lock();
    node->next = list;
    list = node;
    unlock();
}

__attribute__((noipa)) static void initialise(uint32_t core) {
    lock();
    if (object == 0) {
        spend(10);
        object = &objects[core];
    }
    unlock();
}

__attribute__((noipa)) static void set_uptime(uint64_t now) {
    lock();
    uptime = now;
    unlock();
}

__attribute__((noipa)) static uint64_t get_uptime(void) {
    lock();
    const uint64_t now = uptime;
    unlock();
    return now;
}

__attribute__((noipa)) static void take_ticket(void) {
#ifdef MENDED
    take(7);
#else
    while (taken) { // and the other core sees the same
    }
#endif
    taken = 1;
    counter++;
    taken = 0;
#ifdef MENDED
    give(7);
#endif
}

// A lock that says which core has it, and that only this core gives back.
__attribute__((noipa)) static void count_when_claimed(uint32_t core) {
    for (bool claimed = false; !claimed;) {
        lock();
        claimed = owner == NOBODY;
        if (claimed) {
            owner = core;
        }
        unlock();
    }
    counter++;
    owner = NOBODY;
}

__attribute__((noipa)) static void take_turns(uint32_t core) {
    for (uint32_t turns_left = TURNS; turns_left > 0; turns_left--) {
        while (turn != core) {
        }
        turn = 1 - core;
    }
}

__attribute__((noipa)) static void toggle(uint32_t mask) {
#ifdef MENDED
    SIO_GPIO_OUT_XOR = mask;
#else
    SIO_GPIO_OUT ^= mask;
#endif
}

__attribute__((noipa)) static void fill_by_dma(uint32_t value) {
    source = value;
    DMA_CH0_READ_ADDR = (uint32_t)(uintptr_t)&source;
    DMA_CH0_WRITE_ADDR = (uint32_t)(uintptr_t)buffer;
    DMA_CH0_TRANS_COUNT = sizeof buffer / sizeof buffer[0];
    DMA_CH0_CTRL_TRIG = 0x3fu << 15 | 1u << 5 | 2u << 2 | 1; // permanent request, increment write, words, enable
#ifdef MENDED
    while (DMA_CH0_CTRL_TRIG & 1u << 24) { // busy
    }
#endif
}

__attribute__((noipa)) static uint32_t sum_of_buffer(void) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sizeof buffer / sizeof buffer[0]; i++) {
        sum += buffer[31 - i];
    }
    return sum;
}

// One flag for both cores, as in modm's issue 907.
static void on_alarm(void) {
    TIMER_INTR = 1u << CPUID;
#ifdef MENDED
    interrupted_on[CPUID] = true;
#else
    interrupted = true;
#endif
}

__attribute__((noipa)) static void wait_for_alarm(uint32_t us) {
#ifdef MENDED
    volatile bool *const flag = &interrupted_on[CPUID];
#else
    volatile bool *const flag = &interrupted;
#endif
    *flag = false;
    if (CPUID == 0) {
        TIMER_ALARM0 = TIMER_TIMERAWL + us;
    } else {
        TIMER_ALARM1 = TIMER_TIMERAWL + us;
    }
    while (!*flag) {
    }
}

// One core counts what it has done, and the other one begins anew: when it has seen that all is done, or at any time.
__attribute__((noipa)) static void await_count(uint32_t wanted) {
#ifdef MENDED
    while (counter != wanted) {
    }
#else
    spend(wanted / 2);
#endif
}

__attribute__((noipa)) static void begin_anew(void) { counter = 0; }

__attribute__((noipa)) static void count_as_ordered(void) {
    while (!(SIO_FIFO_ST & FIFO_VLD)) {
    }
    for (uint32_t left_to_do = SIO_FIFO_RD; left_to_do > 0; left_to_do--) {
        counter++;
    }
}

static void on_count(void) {
    TIMER_INTR = 1;
    counter++;
    TIMER_ALARM0 = TIMER_TIMERAWL + ALARM_US;
}

static void work(uint32_t core) {
    uint32_t rounds = ROUNDS;
#ifdef LATE // after more accesses than a hunt looks at one by one
    take_turns(core);
    rounds = 300 * ROUNDS;
#endif
    for (uint32_t round = 0; round < rounds; round++) {
#if defined(COUNTER) || defined(LATE)
        count();
        spend(core + round % 5);
#elif defined(TWO_LOCKS)
        count_with_lock(core == 0 ? LOCK_0 : LOCK_1);
        spend(core + round % 3);
#elif defined(ONE_SIDED_LOCK)
        if (core == 0) {
            count_with_lock(LOCK_0);
        } else {
            count_without_lock();
        }
        spend(2 * core + round % 3);
#elif defined(TWO_PRODUCERS)
        put(round);
        spend(3 * core + round % 7);
#elif defined(NEIGHBOURS)
        set_led(core == 0 ? 1 : 0x10);
        spend(core + round % 3);
#elif defined(STRUCT)
        set_gain(1000 * core + round);
        spend(round % 5);
#elif defined(LIST)
        push(&pool[core][round]);
        spend(round % 4);
#elif defined(LAZY)
        initialise(core);
#elif defined(TORN)
        if (core == 0) {
            set_uptime(0xfffffff0u + round * 0x40000000ull);
            spend(round % 3);
        } else {
            fifo_word = (uint32_t)(get_uptime() >> 32);
            spend(round % 2);
        }
#elif defined(SOFTWARE_LOCK)
        take_ticket();
        spend(2 * core + round % 3);
#elif defined(OWNER)
        count_when_claimed(core);
        spend(2 * core + round % 3);
#elif defined(PINS)
        toggle(1u << core);
        spend(core + round % 3);
#elif defined(CLEARED)
        if (core == 0) {
            SIO_FIFO_WR = BATCH;
            await_count(BATCH);
            begin_anew();
        } else {
            count_as_ordered();
        }
#elif defined(SHARED_FLAG)
        if (round < 40) {
            wait_for_alarm(core == 0 ? 30 : 17);
        }
#endif
    }
}

static void core_1(void) {
#ifdef SHARED_FLAG
    NVIC_ISER = 2;
    __asm__ volatile("cpsie i");
#endif
    work(1);
    finished = 1;
}

void example(void) {
#ifdef HANDLER
    set_handler(IRQ_TIMER_0, on_count);
    start_line();
    __asm__ volatile("cpsie i");
    for (uint32_t round = 0; round < 30 * ROUNDS; round++) {
#ifdef MENDED
        __asm__ volatile("cpsid i");
#endif
        counter++;
#ifdef MENDED
        __asm__ volatile("cpsie i");
#endif
    }
    __asm__ volatile("cpsid i");
#elif defined(EARLY)
    RESETS_RESET_CLEAR = 1u << 2;
    for (uint32_t round = 1; round < 5; round++) {
        fill_by_dma(round);
        counter += sum_of_buffer();
    }
#else
#ifdef SHARED_FLAG
    set_handler(IRQ_TIMER_0, on_alarm);
    set_handler(IRQ_TIMER_0 + 1, on_alarm);
    TIMER_INTE = 3;
    NVIC_ISER = 1;
    __asm__ volatile("cpsie i");
#endif
    start_core_1(core_1);
    work(0);
    while (!finished) {
    }
#endif
    print_number("counter", counter);
}
