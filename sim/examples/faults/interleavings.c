// Programs that fail only in some interleavings of the cores, one for each definition; with MENDED, in none. Each
// prints PASS in its end if it is right. Undisturbed, all of them do: core 1 comes to the place some microseconds too
// late.
#include "../chip.h"

#define SPINLOCK(number) REGISTER(SIO + 0x100 + 4 * (number))
#define SEV() __asm__ volatile("dmb\n\tsev" ::: "memory")
#define WFE() __asm__ volatile("wfe" ::: "memory")
#define WFI() __asm__ volatile("wfi" ::: "memory")
#define BARRIER() __asm__ volatile("dmb" ::: "memory")

#define TIMER_TIMEHW REGISTER(0x40054000)
#define TIMER_TIMELW REGISTER(0x40054004)
#define TIMER_TIMERAWH REGISTER(0x40054024)
#define TIMER_INTF REGISTER(0x4005403c)

#ifdef MENDED
enum { IS_MENDED = 1 };
#else
enum { IS_MENDED = 0 };
#endif

enum { ROUNDS = 8 };

static volatile uint32_t wrong;    // what core 0 has seen that must not be
static volatile uint32_t finished; // core 1 has done its part
static volatile uint32_t flag, other_flag, count, data[4];

static inline void take(volatile uint32_t *spinlock) {
    while (*spinlock == 0) {
    }
    BARRIER();
}

static inline void give(volatile uint32_t *spinlock) {
    BARRIER();
    *spinlock = 0;
}

__attribute__((noipa, unused)) static void push(uint32_t word) {
    while ((SIO_FIFO_ST & FIFO_RDY) == 0) {
    }
    SIO_FIFO_WR = word;
    SEV();
}

__attribute__((noipa, unused)) static uint32_t pop(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) == 0) {
        WFE();
    }
    return SIO_FIFO_RD;
}

// Computes, and looks at nothing that anybody else could change.
__attribute__((noipa, unused)) static void spend(uint32_t us) {
    for (uint32_t turns = us * 125 / 4; turns > 0; turns--) {
        __asm__ volatile("nop");
    }
}

__attribute__((noipa, unused)) static void wait_for(volatile uint32_t *word) {
    while (*word == 0) {
        WFE();
    }
}

static inline void set(volatile uint32_t *word) {
    *word = 1;
    SEV();
}

#if defined(LOST_WAKE_UP)
// The doorbell comes between the look at the flag and WFI.
static void doorbell(void) {
    (void)SIO_FIFO_RD;
    flag = 1;
}
static void core_1(void) {
    spend(40);
    push(1);
}
static void core_0(void) {
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_SIO_PROC0;
    if (IS_MENDED) {
        while (flag == 0) {
            WFI(); // masked, it is ended by what is pending
            __asm__ volatile("cpsie i\n\tisb\n\tcpsid i" ::: "memory");
        }
        return;
    }
    __asm__ volatile("cpsie i");
    while (flag == 0) {
        WFI();
    }
}

#elif defined(EVENT_CONSUMED)
// The wait for the first flag takes the event of the second one.
static void core_1(void) {
    spend(10);
    set(&flag);
    spend(20);
    set(&other_flag);
}
static void core_0(void) {
    const uint32_t before = other_flag;
    wait_for(&flag);
    if (IS_MENDED) {
        wait_for(&other_flag);
    } else if (before == 0) {
        WFE();
    }
}

#elif defined(CHECK_THEN_ACT)
// Both cores find it free.
static void acquire(void) {
    if (IS_MENDED) {
        take(&SPINLOCK(4));
    }
    if (flag == 0) {
        flag = 1;
        take(&SPINLOCK(5));
        count = count + 1;
        give(&SPINLOCK(5));
    }
    if (IS_MENDED) {
        give(&SPINLOCK(4));
    }
}
static void core_1(void) {
    spend(30);
    acquire();
    set(&finished);
}
static void core_0(void) {
    acquire();
    wait_for(&finished);
    wrong = count != 1;
}

#elif defined(INITIALISED_TWICE)
// It is said to be initialised before it is: the other core uses what is not there yet.
static void initialise(void) {
    if (flag == 0) {
        take(&SPINLOCK(4));
        if (flag == 0) {
            if (!IS_MENDED) {
                flag = 1;
            }
            for (uint32_t i = 0; i < 4; i++) {
                data[i] = i + 1;
            }
            BARRIER();
            flag = 1;
        }
        give(&SPINLOCK(4));
    }
}
static void core_1(void) {
    spend(25);
    initialise();
    count = data[3];
    set(&finished);
}
static void core_0(void) {
    initialise();
    wait_for(&finished);
    wrong = count != 4;
}

#elif defined(COUNTER)
// Both cores add, seldom, and never at the same time unless one is late.
static void add(void) {
    if (IS_MENDED) {
        take(&SPINLOCK(4));
    }
    count = count + 1;
    if (IS_MENDED) {
        give(&SPINLOCK(4));
    }
}
static void core_1(void) {
    spend(10);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        add();
        spend(20);
    }
    set(&finished);
}
static void core_0(void) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        add();
        spend(20);
    }
    wait_for(&finished);
    wrong = count != 2 * ROUNDS;
}

#elif defined(LOCK_ORDER)
// Two spinlocks, in the other order.
static void core_1(void) {
    spend(15);
    take(IS_MENDED ? &SPINLOCK(4) : &SPINLOCK(5));
    take(IS_MENDED ? &SPINLOCK(5) : &SPINLOCK(4));
    count = count + 1;
    give(&SPINLOCK(4));
    give(&SPINLOCK(5));
    set(&finished);
}
static void core_0(void) {
    take(&SPINLOCK(4));
    take(&SPINLOCK(5));
    count = count + 1;
    give(&SPINLOCK(5));
    give(&SPINLOCK(4));
    wait_for(&finished);
}

#elif defined(FIFO_DRAINED)
// What is meant to drop old words drops the answer.
static void core_1(void) {
    const uint32_t word = pop();
    spend(20);
    push(word + 1);
}
static void drain(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) != 0) {
        (void)SIO_FIFO_RD;
    }
}
static void core_0(void) {
    if (IS_MENDED) {
        drain();
    }
    push(7);
    if (!IS_MENDED) {
        drain();
    }
    wrong = pop() != 8;
}

#elif defined(TIME_CARRY)
// The upper word of the time is read, then the lower one is carried into it.
static uint64_t now(void) {
    for (;;) {
        const uint32_t high = TIMER_TIMERAWH;
        const uint32_t low = TIMER_TIMERAWL;
        if (!IS_MENDED || TIMER_TIMERAWH == high) {
            return (uint64_t)high << 32 | low;
        }
    }
}
static void core_1(void) {
    spend(5);
    set(&finished);
}
static void core_0(void) {
    TIMER_TIMELW = 0xffffffff - 150;
    TIMER_TIMEHW = 0;
    for (uint64_t last = 0, i = 0; i < 20; i++) {
        const uint64_t time = now();
        wrong |= time < last;
        last = time;
        spend(20);
    }
    wait_for(&finished);
}

#elif defined(ALARM_PAST)
// The alarm is set for a time that has passed meanwhile: it comes in 71 minutes.
static void alarm(void) {
    TIMER_INTF = 0;
    TIMER_INTR = 1;
    flag = 1;
}
static void core_1(void) {
    spend(5);
    set(&finished);
}
static void core_0(void) {
    TIMER_INTE = 1;
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_TIMER_0;
    const uint32_t at = TIMER_TIMERAWL + 8;
    TIMER_ALARM0 = at;
    if (IS_MENDED && (int32_t)(TIMER_TIMERAWL - at) >= 0) {
        TIMER_INTF = 1;
    }
    while (flag == 0) {
        WFI();
        __asm__ volatile("cpsie i\n\tisb\n\tcpsid i" ::: "memory");
    }
}

#elif defined(CLEARED_AFTER_LAUNCH)
// Core 1 is started, then the flag that it sets is cleared.
static void core_1(void) {
    spend(3);
    set(&flag);
}
static void core_0(void) {
    flag = 0; // core 1 has been started by now, and is to be slow
    wait_for(&flag);
}

#elif defined(RING_INDEX)
// The index tells of data that is not there yet.
static void core_1(void) {
    for (uint32_t read = 0; read < ROUNDS;) {
        spend(7);
        if (count > read) {
            BARRIER();
            wrong |= data[read % 4] != read + 100;
            data[read % 4] = 0;
            read++;
            BARRIER();
            other_flag = read;
        }
    }
    set(&finished);
}
static void core_0(void) {
    for (uint32_t written = 0; written < ROUNDS; written++) {
        while (written - other_flag >= 4) {
        }
        if (IS_MENDED) {
            data[written % 4] = written + 100;
            BARRIER();
            count = written + 1;
        } else {
            count = written + 1;
            data[written % 4] = written + 100;
        }
        spend(30);
    }
    wait_for(&finished);
}

#elif defined(TORN)
// Two words that belong together are read one by one.
static void core_1(void) {
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        spend(15);
        take(&SPINLOCK(4));
        data[0] = i;
        data[1] = i;
        give(&SPINLOCK(4));
    }
    set(&finished);
}
static void core_0(void) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (IS_MENDED) {
            take(&SPINLOCK(4));
        }
        const uint32_t low = data[0];
        const uint32_t high = data[1];
        if (IS_MENDED) {
            give(&SPINLOCK(4));
        }
        wrong |= low != high;
        spend(13);
    }
    wait_for(&finished);
}

#elif defined(REQUEST_CLEARED)
// A request that comes while the last one is served is cleared with it.
static void core_1(void) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        spend(25);
        take(&SPINLOCK(4));
        other_flag = other_flag + 1;
        give(&SPINLOCK(4));
        set(&flag);
    }
    set(&finished);
}
static void core_0(void) {
    while (count < ROUNDS) {
        wait_for(&flag);
        if (IS_MENDED) {
            flag = 0;
        }
        take(&SPINLOCK(4));
        count = count + other_flag;
        other_flag = 0;
        give(&SPINLOCK(4));
        if (!IS_MENDED) {
            flag = 0;
        }
    }
}

#elif defined(STALE_ANSWER)
// An answer that comes after the time-out is taken for that of the next question.
static void core_1(void) {
    for (;;) {
        const uint32_t question = pop();
        spend(10);
        push(question + 1);
    }
}
static uint32_t ask(uint32_t question) {
    push(question);
    for (;;) {
        for (uint32_t turns = 0; turns < 400; turns++) {
            if ((SIO_FIFO_ST & FIFO_VLD) != 0) {
                const uint32_t answer = SIO_FIFO_RD;
                if (!IS_MENDED || answer == question + 1) {
                    return answer;
                }
            }
        }
        if (!IS_MENDED) {
            return question + 1; // a default
        }
    }
}
static void core_0(void) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        wrong |= ask(10 * i) != 10 * i + 1;
        spend(5);
    }
}
#endif

void example(void) {
#ifdef LOST_WAKE_UP
    set_handler(IRQ_SIO_PROC0, doorbell);
#endif
#ifdef ALARM_PAST
    set_handler(IRQ_TIMER_0, alarm);
#endif
#if defined(CLEARED_AFTER_LAUNCH) && defined(MENDED)
    // `flag` is clear: nothing clears it after the launch.
    start_core_1(core_1);
    wait_for(&flag);
    (void)core_0;
#else
    start_core_1(core_1);
    core_0();
#endif
    if (wrong == 0) {
        print("PASS\n");
    } else {
        print_number("wrong", wrong);
    }
}
