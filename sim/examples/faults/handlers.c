// Programs whose handlers take what the code below them needs, or leave it no time, one for each definition; with
// MENDED, they do not.
#include "locks.h"

#define NVIC_IPR0 REGISTER(0xe000e400)
#define VECTORS ((void (**)(void))(uintptr_t)VTOR)
#define WATCHDOG_CTRL REGISTER(0x40058000)
#define WATCHDOG_LOAD REGISTER(0x40058004)
#define PSM_WDSEL REGISTER(0x40010008)
#define LOCKOUT 0x73a8831eu // what asks the other core to stay in its handler for a while

enum { HARD_FAULT = 3, ROUNDS = 20 };

static struct mutex log_mutex = {{&SPINLOCK(16)}, -1};
static volatile uint32_t flag, alarms, answer;

FUNCTION void alarm_in(uint32_t us) {
    TIMER_INTR = 1;
    TIMER_INTE = 1;
    NVIC_ISER = 1u << IRQ_TIMER_0;
    TIMER_ALARM0 = TIMER_TIMERAWL + us;
}

FUNCTION void let_handlers_run(void) { __asm__ volatile("cpsie i"); }

#if defined(SPINLOCK_IN_HANDLER) // interrupts are not masked while the lock is held
static void on_alarm(void) {
    TIMER_INTR = 1;
    take(&SPINLOCK(9));
    give(&SPINLOCK(9));
}
static void core_1(void) {}
static void core_0(void) {
    set_handler(IRQ_TIMER_0, on_alarm);
    alarm_in(50);
#ifndef MENDED
    let_handlers_run();
#endif
    take(&SPINLOCK(9));
    spend(1000);
    give(&SPINLOCK(9));
    let_handlers_run();
}

#elif defined(MUTEX_IN_HANDLER) || defined(WAITS_FOR_THREAD)
#ifdef MUTEX_IN_HANDLER // a handler prints a line while the code below it does
FUNCTION void begin(void) { lock_mutex(&log_mutex); }
FUNCTION void end(void) { unlock_mutex(&log_mutex); }
FUNCTION void handle(void) {
    begin();
    end();
}
#else                   // a handler waits for what only the code below it does
FUNCTION void begin(void) {}
FUNCTION void end(void) { flag = 1; }
FUNCTION void handle(void) {
    while (!flag) {
    }
}
#endif
static void on_alarm(void) {
    TIMER_INTR = 1;
#ifndef MENDED
    handle();
#endif
}
static void core_1(void) {}
static void core_0(void) {
    set_handler(IRQ_TIMER_0, on_alarm);
    alarm_in(50);
    let_handlers_run();
    begin();
    spend(1000);
    end();
}

#elif defined(WAITS_FOR_HANDLER) // a handler waits for another one of the same priority
static void on_fifo(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) != 0) {
        answer = SIO_FIFO_RD;
    }
}
static void on_alarm(void) {
    TIMER_INTR = 1;
    push(1);
    while (answer == 0) {
    }
    alarms = 1;
}
static void core_1(void) { push(pop()); }
static void core_0(void) {
    set_handler(IRQ_SIO_PROC0, on_fifo);
    set_handler(IRQ_TIMER_0, on_alarm);
#ifdef MENDED
    NVIC_IPR0 = 0xc0; // of the timer: lower
#endif
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_SIO_PROC0;
    alarm_in(50);
    let_handlers_run();
    while (alarms == 0) {
    }
}

#elif defined(ANSWER_SWALLOWED) // a handler that looks for one word takes all others out of the FIFO, too
static void on_fifo(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) != 0) {
        const uint32_t word = SIO_FIFO_RD;
        if (word == LOCKOUT) {
            flag = 1;
        }
#ifdef MENDED
        answer = word;
#endif
    }
}
static void core_1(void) {
    pop();
    spend(10);
    push(42);
}
static void core_0(void) {
    set_handler(IRQ_SIO_PROC0, on_fifo);
    NVIC_ICPR = ~0u;
    NVIC_ISER = 1u << IRQ_SIO_PROC0;
    let_handlers_run();
    push(1);
#ifdef MENDED
    while (answer != 42) {
    }
#else
    pop();
#endif
}

#elif defined(NO_EVENT) // a handler of core 1 sets the flag, and no SEV wakes core 0
static void on_alarm(void) {
    TIMER_INTR = 1;
    flag = 1;
#ifdef MENDED
    SEV();
#endif
}
static void core_1(void) {
    set_handler(IRQ_TIMER_0, on_alarm);
    alarm_in(1000);
    let_handlers_run();
    for (;;) {
        WFE();
    }
}
static void core_0(void) {
    while (!flag) {
        WFE();
    }
}

#elif defined(STORM) // a handler does not take back what called it
static void on_alarm(void) {
#ifdef MENDED
    TIMER_INTR = 1;
#endif
    alarms++;
}
static void core_1(void) { push(pop() + 1); }
static void core_0(void) {
    set_handler(IRQ_TIMER_0, on_alarm);
    alarm_in(50);
    let_handlers_run();
    spend(1000);
    push(1);
    pop();
}

#elif defined(                                                                                                         \
    TWO_SOURCES) // the handler of a FIFO waits for a word that it has read already, as it is entered again by ROE
static void on_fifo(void) {
#ifdef MENDED
    if ((SIO_FIFO_ST & FIFO_VLD) != 0)
#endif
        answer = SIO_FIFO_RD; // of an empty FIFO, it sets ROE, which is an interrupt until it is cleared
    alarms++;
}
static void core_1(void) {
    push(1);
    for (;;) {
    }
}
static void core_0(void) {
    set_handler(IRQ_SIO_PROC0, on_fifo);
    NVIC_ICPR = ~0u;
#ifndef MENDED
    (void)SIO_FIFO_RD;
#endif
    NVIC_ISER = 1u << IRQ_SIO_PROC0;
    let_handlers_run();
    spend(1000);
}

#elif defined(WATCHDOG) // nobody feeds the watchdog while core 0 waits for core 1
static void core_1(void) {
    pop();
#ifdef MENDED
    push(1);
#endif
}
static void core_0(void) {
    PSM_WDSEL = 0x1fffc; // all but the oscillators
    WATCHDOG_LOAD = 100000;
    WATCHDOG_CTRL = 1u << 30;
    push(1);
    pop();
    WATCHDOG_CTRL = 0;
}

#elif defined(MISALIGNED) // core 1 reads a word of a packet, where it is not aligned
static uint8_t packet[8] __attribute__((aligned(4))) = {1, 2, 3, 4, 5, 6, 7, 8};
static void on_fault(void) {
    for (;;) {
    }
}
static void core_1(void) {
    VECTORS[HARD_FAULT] = on_fault;
#ifdef MENDED
    uint32_t word = 0;
    for (unsigned i = 0; i < sizeof word; i++) {
        word |= (uint32_t)packet[1 + i] << 8 * i;
    }
#else
    static uint8_t *volatile field = &packet[1];
    const uint32_t word = *(volatile uint32_t *)(uintptr_t)field;
#endif
    push(word);
}
static void core_0(void) { pop(); }
#endif

void example(void) {
    set_handler(IRQ_UART0, 0); // its table is in RAM
    start_core_1(core_1);
    core_0();
    (void)flag;
    (void)answer;
    (void)alarms;
    (void)log_mutex;
}
