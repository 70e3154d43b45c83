// Programs in which cores wait for what never comes, one for each definition, and some in which it comes.
#include "../chip.h"

#define SPINLOCK(number) REGISTER(SIO + 0x100 + 4 * (number))
#define SEV() __asm__ volatile("dmb\n\tsev" ::: "memory")
#define WFE() __asm__ volatile("wfe" ::: "memory")
#define BARRIER() __asm__ volatile("dmb" ::: "memory")

enum { ROUNDS = 20 };

// A lock in memory as SDKs have it: a spinlock that protects the word behind its address.
struct lock_core {
    volatile uint32_t *spinlock;
};
struct mutex {
    struct lock_core core;
    volatile int8_t owner;
};
struct semaphore {
    struct lock_core core;
    volatile int16_t permits, most;
};

static struct mutex printf_mutex = {{&SPINLOCK(16)}, -1}, sensor_mutex = {{&SPINLOCK(17)}, -1};
static struct semaphore free_slots = {{&SPINLOCK(18)}, 0, 4};
static volatile uint32_t done, ready;

static void take(volatile uint32_t *spinlock) {
    while (*spinlock == 0) {
    }
    BARRIER();
}

static void give(volatile uint32_t *spinlock) {
    BARRIER();
    *spinlock = 0;
}

__attribute__((noipa)) static void lock_mutex(struct mutex *mutex) {
    for (;;) {
        take(mutex->core.spinlock);
        if (mutex->owner < 0) {
            mutex->owner = (int8_t)REGISTER(SIO);
            give(mutex->core.spinlock);
            return;
        }
        give(mutex->core.spinlock);
        WFE();
    }
}

__attribute__((noipa)) static void unlock_mutex(struct mutex *mutex) {
    take(mutex->core.spinlock);
    mutex->owner = -1;
    give(mutex->core.spinlock);
    SEV();
}

__attribute__((noipa)) static void acquire(struct semaphore *semaphore) {
    for (;;) {
        take(semaphore->core.spinlock);
        if (semaphore->permits > 0) {
            semaphore->permits = (int16_t)(semaphore->permits - 1);
            give(semaphore->core.spinlock);
            return;
        }
        give(semaphore->core.spinlock);
        WFE();
    }
}

__attribute__((noipa)) static void push(uint32_t word) {
    while ((SIO_FIFO_ST & FIFO_RDY) == 0) {
    }
    SIO_FIFO_WR = word;
    SEV();
}

__attribute__((noipa)) static uint32_t pop(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) == 0) {
        WFE();
    }
    return SIO_FIFO_RD;
}

__attribute__((noipa)) static void spend(uint32_t us) {
    for (const uint32_t begun = TIMER_TIMERAWL; TIMER_TIMERAWL - begun < us;) {
    }
}

__attribute__((noipa)) static void log_line(void) { lock_mutex(&printf_mutex); }
__attribute__((noipa)) static void read_sensor(void) { lock_mutex(&sensor_mutex); }

static void handle_doorbell(void) {
    NVIC_ICPR = ~0u;
    take(&SPINLOCK(9));
    give(&SPINLOCK(9));
}

static void core_1(void) {
#if defined(BOTH_SEND)
    for (uint32_t word = 0;; word++) {
        push(word);
    }
#elif defined(BOTH_RECEIVE)
    pop();
#elif defined(SPINLOCK_ORDER)
    take(&SPINLOCK(5));
    spend(20);
    take(&SPINLOCK(4));
#elif defined(MUTEX_ORDER)
    read_sensor();
    spend(20);
    log_line();
#elif defined(LOCK_KEPT)
    log_line();
    done = 1;
#elif defined(LOST_WAKE_UP)
    while (!ready) {
        WFE();
    }
    push(1);
#elif defined(NO_ANSWER) || defined(SERVER)
    for (;;) {
        const uint32_t word = pop();
        if (word != 7) {
            push(word + 1);
        }
    }
#elif defined(FLAG)
    spend(100);
    // It forgets to set `done`.
#elif defined(NO_ALARM)
    for (const uint32_t begun = TIMER_TIMERAWL; TIMER_TIMERAWL - begun < 1000;) {
        WFE(); // and nobody has set an alarm
    }
    push(1);
#elif defined(SLOW)
    for (;;) {
        pop();
        spend(20000);
        push(1);
    }
#endif
}

void example(void) {
#ifdef INTERRUPTED_HOLDER
    set_handler(IRQ_TIMER_0, handle_doorbell);
    __asm__ volatile("cpsie i");
    take(&SPINLOCK(9));
    start_line();
    spend(1000);
    give(&SPINLOCK(9));
#else
    (void)handle_doorbell;
    start_core_1(core_1);
#endif
#if defined(BOTH_SEND)
    for (uint32_t word = 0;; word++) {
        push(word);
    }
#elif defined(BOTH_RECEIVE)
    pop();
#elif defined(SPINLOCK_ORDER)
    take(&SPINLOCK(4));
    spend(20);
    take(&SPINLOCK(5));
#elif defined(MUTEX_ORDER)
    log_line();
    spend(20);
    read_sensor();
#elif defined(LOCK_KEPT)
    while (!done) {
    }
    log_line();
#elif defined(LOST_WAKE_UP)
    spend(50);
    ready = 1; // and no SEV
    pop();
#elif defined(NO_ANSWER)
    push(7);
    pop();
#elif defined(SERVER)
    for (uint32_t round = 0; round < ROUNDS; round++) {
        push(10 * round);
        print_number("answer", pop());
    }
#elif defined(SEMAPHORE)
    acquire(&free_slots);
#elif defined(NO_ALARM)
    for (;;) {
        WFE();
    }
#elif defined(FLAG)
    while (!done) {
        WFE();
    }
#elif defined(SLOW)
    for (uint32_t round = 0; round < ROUNDS; round++) {
        push(round);
        pop();
    }
#elif defined(MUTEX)
    for (uint32_t round = 0; round < ROUNDS; round++) {
        log_line();
        unlock_mutex(&printf_mutex);
        print_number("round", round);
    }
#endif
    (void)unlock_mutex;
    (void)free_slots;
    (void)acquire;
    (void)read_sensor;
    (void)log_line;
    (void)done;
    (void)ready;
}
