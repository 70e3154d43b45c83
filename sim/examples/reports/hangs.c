// Public reports of programs that hang or stall, rebuilt, one for each definition; with CURED, as the thread mended it
// (docs/hunt.md, "Public reports").
#include "../faults/locks.h"
#include <stdbool.h>

#define TIMER_ALARM3 REGISTER(0x4005401c)
#define SIO_GPIO_OUT_XOR REGISTER(SIO + 0x1c)
#define CPUID REGISTER(SIO)
#define MASK() __asm__ volatile("cpsid i" ::: "memory")
#define UNMASK() __asm__ volatile("cpsie i" ::: "memory")

enum { IRQ_TIMER_3 = 3, ROUNDS = 200 };

static volatile uint32_t flag;

static inline bool reached(uint32_t time) { return (int32_t)(TIMER_TIMERAWL - time) >= 0; }

// Waits as the SDK's sleep does: asleep, and woken by the event of an alarm's handler.
FUNCTION void sleep(uint32_t us) {
    const uint32_t until = TIMER_TIMERAWL + us;
    TIMER_ALARM3 = until;
    while (!reached(until)) {
        WFE();
    }
}

FUNCTION void on_alarm(void) {
    TIMER_INTR = 1u << IRQ_TIMER_3;
    SEV();
}

FUNCTION void take_alarms(void) {
    TIMER_INTE = 1u << IRQ_TIMER_3;
    NVIC_ISER = 1u << IRQ_TIMER_3;
    UNMASK();
}

#if defined(LOCKOUT)
// pico-sdk#2454: core 1 asks core 0 to stay in its handler, and gives up before core 0 answers. Nobody tells core 0.
enum { STAY = 0x73a8831e, GO_ON = 0x73a8831f };
FUNCTION void stay_locked_out(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) != 0) {
        if (SIO_FIFO_RD == STAY) {
            push(STAY);
            while (pop() != GO_ON) {
            }
        }
    }
}
FUNCTION bool lock_out(uint32_t us) {
    push(STAY);
    for (const uint32_t until = TIMER_TIMERAWL + us; !reached(until);) {
        if ((SIO_FIFO_ST & FIFO_VLD) != 0) {
            return SIO_FIFO_RD == STAY;
        }
    }
#ifdef CURED
    push(GO_ON);
#endif
    return false;
}
static void core_1(void) {
    flag = lock_out(50) ? 1 : 2;
    for (;;) {
        pop();
    }
}
static void core_0(void) {
    spend(200); // with interrupts masked
    NVIC_ISER = 1u << IRQ_SIO_PROC0;
    UNMASK();
    print_number("locked out:", flag);
}

#elif defined(FIFO_TIMEOUT)
// pico-sdk#1142: a wait for a word that is to end after some time sleeps, and no alarm is set for its end.
FUNCTION bool pop_within(uint32_t us, uint32_t *word) {
    for (const uint32_t until = TIMER_TIMERAWL + us; (SIO_FIFO_ST & FIFO_VLD) == 0;) {
        if (reached(until)) {
            return false;
        }
#ifndef CURED
        WFE();
#endif
    }
    *word = SIO_FIFO_RD;
    return true;
}
static void core_1(void) {}
static void core_0(void) {
    uint32_t word = 0;
    print_number("received:", pop_within(1000, &word));
}

#elif defined(MAIN_RETURNS)
// pico-feedback#268: core 0 returns from main(), and takes no interrupts from then on; its alarms have woken core 1.
__attribute__((noipa, noreturn, used)) void _exit(int status);
void _exit(int status) {
    (void)status;
    MASK();
    for (;;) {
        __asm__ volatile("bkpt 0");
    }
}
static void core_1(void) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        sleep(100);
    }
    flag = 1;
    SEV();
}
static void core_0(void) {
    take_alarms();
#ifdef CURED
    while (flag == 0) {
        WFE();
    }
#else
    spend(250);
    _exit(0);
#endif
}

#elif defined(SLEEP_STALLS)
// pico-sdk#873: each time core 1 comes out of its sleep, core 0 stops toggling a pin: it handles the alarm.
static void core_1(void) {
#ifdef CURED
    take_alarms();
#endif
    for (uint32_t round = 0; round < ROUNDS; round++) {
        sleep(50);
    }
    flag = 1;
}
static void core_0(void) {
#ifndef CURED
    take_alarms();
#endif
    while (flag == 0) {
        SIO_GPIO_OUT_XOR = 1;
    }
}

#elif defined(YIELD_LOCK)
// FreeRTOS-Kernel#501: the spinlock to be given back when a task yields is noted in one variable for both cores.
static volatile uint32_t *volatile yield_lock[2];
#ifdef CURED
#define OWN CPUID
#else
#define OWN 0
#endif
FUNCTION void yield(void) {
    volatile uint32_t *const lock = yield_lock[OWN];
    if (lock != 0) {
        yield_lock[OWN] = 0;
        give(lock);
    }
}
FUNCTION void unlock_and_wait(volatile uint32_t *lock) {
    yield_lock[OWN] = lock;
    yield();
}
static void work(uint32_t lock, uint32_t turns) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        take(&SPINLOCK(lock));
        unlock_and_wait(&SPINLOCK(lock));
        for (volatile uint32_t turn = turns + round % 5; turn > 0; turn--) {
        }
    }
}
static void core_1(void) {
    work(17, 2);
    flag = 1;
    SEV();
}
static void core_0(void) {
    work(16, 3);
    while (flag == 0) {
        WFE();
    }
}

#elif defined(AFFINITY)
// FreeRTOS-Kernel#1086, with a scheduler of a few lines: a ready task is given to core 1, and core 1 is not told.
struct task {
    volatile uint32_t cores, is_ready;
};
static struct task task;
FUNCTION bool has_task(void) {
    take(&SPINLOCK(16));
    const bool found = task.is_ready && (task.cores >> CPUID & 1) != 0;
    if (found) {
        task.is_ready = 0;
    }
    give(&SPINLOCK(16));
    return found;
}
FUNCTION void create(void) {
    take(&SPINLOCK(16));
    task.cores = 1u << 0; // where its creator is, which chooses a task only when it yields
    task.is_ready = 1;
    give(&SPINLOCK(16));
}
FUNCTION void set_affinity(uint32_t cores) {
    take(&SPINLOCK(16));
    task.cores = cores;
    give(&SPINLOCK(16));
#ifdef CURED
    SEV();
#endif
}
static void core_1(void) {
    while (!has_task()) {
        WFE();
    }
    push(1);
}
static void core_0(void) {
    spend(50);
    create();
    set_affinity(1u << 1);
    pop();
}
#endif

void example(void) {
    set_handler(IRQ_TIMER_3, on_alarm);
#ifdef LOCKOUT
    set_handler(IRQ_SIO_PROC0, stay_locked_out);
    NVIC_ICPR = ~0u;
#endif
    start_core_1(core_1);
    core_0();
}
