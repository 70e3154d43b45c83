// Programs in which cores wait for what never comes, one for each definition; with MENDED, it comes.
#include "locks.h"

enum { ROUNDS = 20 };

static struct mutex printf_mutex = {{&SPINLOCK(16)}, -1}, sensor_mutex = {{&SPINLOCK(17)}, -1};
static struct semaphore free_slots = {{&SPINLOCK(18)}, 0, 4}, full_slots = {{&SPINLOCK(19)}, 0, 4};
static struct queue commands = {.core = {&SPINLOCK(20)}}, answers = {.core = {&SPINLOCK(21)}};
static volatile uint32_t done, ready;

FUNCTION void log_line(void) { lock_mutex(&printf_mutex); }
FUNCTION void read_sensor(void) { lock_mutex(&sensor_mutex); }
FUNCTION void use_both(void) {
    spend(20);
    unlock_mutex(&sensor_mutex);
    unlock_mutex(&printf_mutex);
}

#if defined(BOTH_SEND) // each fills the FIFO to the other one
static void send_all(void) {
    for (uint32_t word = 0; word < ROUNDS; word++) {
        push(word);
#ifdef MENDED
        pop();
#endif
    }
}
#define CORE_0 send_all
#define CORE_1 send_all

#elif defined(BOTH_RECEIVE)
static void ask(void) {
#ifdef MENDED
    push(1);
#endif
    pop();
}
#define CORE_0 ask
#define CORE_1 ask

#elif defined(SPINLOCK_ORDER)
static void core_1(void) {
#ifdef MENDED
    take(&SPINLOCK(4));
    take(&SPINLOCK(5));
#else
    take(&SPINLOCK(5));
    spend(20);
    take(&SPINLOCK(4));
#endif
    give(&SPINLOCK(5));
    give(&SPINLOCK(4));
}
static void core_0(void) {
    take(&SPINLOCK(4));
    spend(20);
    take(&SPINLOCK(5));
    give(&SPINLOCK(5));
    give(&SPINLOCK(4));
}

#elif defined(MUTEX_ORDER)
static void core_1(void) {
#ifdef MENDED
    log_line();
    spend(20);
    read_sensor();
#else
    read_sensor();
    spend(20);
    log_line();
#endif
    use_both();
}
static void core_0(void) {
    log_line();
    spend(20);
    read_sensor();
    use_both();
}

#elif defined(LOCK_KEPT)
static void core_1(void) {
    log_line();
#ifdef MENDED
    unlock_mutex(&printf_mutex);
#endif
    done = 1;
}
static void core_0(void) {
    while (!done) {
    }
    log_line();
}

#elif defined(TAKEN_TWICE) // a function that takes a lock is called with the lock
static void core_1(void) {}
static void core_0(void) {
    log_line();
#ifdef MENDED
    unlock_mutex(&printf_mutex);
#endif
    log_line();
}

#elif defined(HELD_IN_SLEEP) // a spinlock is kept while a core waits for a time
static void core_1(void) {
    for (;;) {
        take(&SPINLOCK(7));
        done = 1;
#ifdef MENDED
        give(&SPINLOCK(7));
        spend(20000);
#else
        spend(20000);
        give(&SPINLOCK(7));
#endif
    }
}
static void core_0(void) {
    while (!done) {
    }
    for (uint32_t round = 0; round < 3; round++) {
        take(&SPINLOCK(7));
        give(&SPINLOCK(7));
        spend(1000);
    }
}

#elif defined(OVERTAKEN) // one core gives a lock back and takes it again before the other one looks
#ifdef MENDED
#define PAUSE "17"
#else
#define PAUSE "0"
#endif
// Each turn takes both cores 16 cycles, and neither is in the other's way: core 0 always looks when core 1 has the
// lock.
__attribute__((noinline, section(".sram5"))) static void core_1(void) {
    __asm__ volatile("1: ldr r0, [%0]\n cmp r0, #0\n beq 1b\n .rept 10\n nop\n .endr\n str r0, [%0]\n"
                     ".rept " PAUSE "\n nop\n .endr\n b 1b" ::"r"(&SPINLOCK(7))
                     : "r0", "cc", "memory");
}
__attribute__((noinline, section(".sram4"))) static void core_0(void) {
    spend(100);
    __asm__ volatile("1: ldr r0, [%0]\n cmp r0, #0\n bne 2f\n .rept 11\n nop\n .endr\n b 1b\n 2:" ::"r"(&SPINLOCK(7))
                     : "r0", "cc", "memory");
    give(&SPINLOCK(7));
}

#elif defined(SEMAPHORE)
static void core_1(void) {
#ifdef MENDED
    release(&free_slots);
#endif
}
static void core_0(void) { acquire(&free_slots); }

#elif defined(SEMAPHORES) // each waits for what the other one releases afterwards
static void core_1(void) {
#ifdef MENDED
    release(&free_slots);
    acquire(&full_slots);
#else
    acquire(&full_slots);
    release(&free_slots);
#endif
}
static void core_0(void) {
    acquire(&free_slots);
    release(&full_slots);
}

#elif defined(QUEUES_FULL) // more commands than both queues have room for, before an answer is read
static void core_1(void) {
    for (;;) {
        add(&answers, remove(&commands));
    }
}
static void core_0(void) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        add(&commands, i);
#ifdef MENDED
        remove(&answers);
    }
#else
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        remove(&answers);
    }
#endif
}

#elif defined(LOST_WAKE_UP)
static void core_1(void) {
    while (!ready) {
        WFE();
    }
    push(1);
}
static void core_0(void) {
    spend(50);
    ready = 1;
#ifdef MENDED
    SEV();
#endif
    pop();
}

#elif defined(NO_ANSWER) || defined(SERVER) // a command that the server does not answer
static void core_1(void) {
    for (;;) {
        const uint32_t word = pop();
        if (word != 7) {
            push(word + 1);
        }
    }
}
static void core_0(void) {
#ifdef NO_ANSWER
#ifdef MENDED
    push(6);
#else
    push(7);
#endif
    pop();
#else
    for (uint32_t round = 0; round < ROUNDS; round++) {
        push(10 * round);
        print_number("answer", pop());
    }
#endif
}

#elif defined(RETURNS) // core 1 comes to the end of its function, though core 0 has more for it
static void core_1(void) {
    do {
        push(pop() + 1);
#ifdef MENDED
    } while (1);
#else
    } while (0);
#endif
}
static void core_0(void) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        push(round);
        pop();
    }
}

#elif defined(FLAG) // it forgets to set the flag
static void core_1(void) {
    spend(100);
#ifdef MENDED
    done = 1;
    SEV();
#endif
}
static void core_0(void) {
    while (!done) {
        WFE();
    }
}

#elif defined(NO_ALARM) // a wait for a time by WFE, and nobody has set an alarm
static void core_1(void) {
    for (const uint32_t begun = TIMER_TIMERAWL; TIMER_TIMERAWL - begun < 1000;) {
#ifndef MENDED
        WFE();
#endif
    }
    done = 1;
    SEV();
}
static void core_0(void) {
    while (!done) {
        WFE();
    }
}

#elif defined(SLOW)
static void core_1(void) {
    for (;;) {
        pop();
        spend(20000);
        push(1);
    }
}
static void core_0(void) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        push(round);
        pop();
    }
}

#elif defined(MUTEX)
static void core_1(void) {}
static void core_0(void) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        log_line();
        unlock_mutex(&printf_mutex);
        print_number("round", round);
    }
}
#endif

#ifndef CORE_0
#define CORE_0 core_0
#define CORE_1 core_1
#endif

void example(void) {
    start_core_1(CORE_1);
    CORE_0();
    (void)done;
    (void)ready;
    (void)free_slots;
    (void)full_slots;
    (void)commands;
    (void)answers;
}
