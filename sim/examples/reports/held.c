// Public reports of locks, FIFOs and cores that are held where another one needs them, rebuilt, one for each
// definition; with CURED, as the thread mended it or as it says that one has to (docs/hunt.md, "Public reports").
#include "../faults/locks.h"
#include <stdbool.h>
#include <stddef.h>

#define TIMER_ALARM3 REGISTER(0x4005401c)
#define PSM_FRCE_OFF 0x40010004u
#define SET 0x2000u
#define CLEAR 0x3000u
#define PROC1 (1u << 16)
#define MASK() __asm__ volatile("cpsid i" ::: "memory")
#define UNMASK() __asm__ volatile("cpsie i" ::: "memory")

enum { IRQ_TIMER_3 = 3, ROUNDS = 200 };

static volatile uint32_t flag;

FUNCTION void reset_core_1(void) {
    REGISTER(PSM_FRCE_OFF + SET) = PROC1;
    while ((REGISTER(PSM_FRCE_OFF) & PROC1) == 0) {
    }
    REGISTER(PSM_FRCE_OFF + CLEAR) = PROC1;
}

FUNCTION void alarm_in(uint32_t us, void (*handler)(void)) {
    set_handler(IRQ_TIMER_0, handler);
    TIMER_INTR = 1;
    TIMER_INTE |= 1;
    NVIC_ISER = 1u << IRQ_TIMER_0;
    TIMER_ALARM0 = TIMER_TIMERAWL + us;
}

FUNCTION bool try_to_lock(struct mutex *mutex) {
    take(mutex->core.spinlock);
    const bool is_free = mutex->owner < 0;
    if (is_free) {
        mutex->owner = (int8_t)REGISTER(SIO);
    }
    give(mutex->core.spinlock);
    return is_free;
}

#if defined(RESET_HOLDER)
// micropython#8494: a soft reboot resets core 1 while it holds the spinlock of the USB stack.
FUNCTION void run_usb(void) {
    take(&SPINLOCK(17));
    flag = 1;
    spend(1000);
    give(&SPINLOCK(17));
}
FUNCTION void reboot(void) {
#ifdef CURED
    take(&SPINLOCK(17));
#endif
    reset_core_1();
#ifdef CURED
    give(&SPINLOCK(17));
#endif
}
static void core_1(void) { run_usb(); }
static void core_0(void) {
    while (flag == 0) {
    }
    reboot();
    run_usb();
}

#elif defined(CROSSED)
// pico-sdk#1039: core 0 reads under the lock of USB, and its handler prints; core 1 prints, which takes that lock, too.
static struct mutex printf_mutex = {{&SPINLOCK(16)}, -1}, usb_mutex = {{&SPINLOCK(17)}, -1};
FUNCTION void print_line(void) {
    lock_mutex(&printf_mutex);
    spend(50);
    lock_mutex(&usb_mutex);
    unlock_mutex(&usb_mutex);
    unlock_mutex(&printf_mutex);
}
FUNCTION void on_alarm(void) {
    TIMER_INTR = 1;
#ifdef CURED
    if (!try_to_lock(&printf_mutex)) {
        return; // the line is lost
    }
    unlock_mutex(&printf_mutex);
#else
    print_line();
#endif
}
FUNCTION void read_character(void) {
    lock_mutex(&usb_mutex);
    flag = 1;
    spend(1000);
    unlock_mutex(&usb_mutex);
}
static void core_1(void) {
    while (flag == 0) {
    }
    print_line();
    flag = 2;
}
static void core_0(void) {
    alarm_in(300, on_alarm);
    UNMASK();
    read_character();
    while (flag != 2) {
    }
}

#elif defined(MIRROR)
// pico-sdk#1534: handlers send to core 1, which sends back what it gets; the code below them is to read that.
static volatile uint32_t sent;
FUNCTION void send_events(void) {
    TIMER_INTR = 1;
    for (unsigned i = 0; i < 3; i++) {
#ifdef CURED
        if ((SIO_FIFO_ST & FIFO_RDY) == 0) {
            break; // it has no time to wait for core 1
        }
#endif
        push(1);
        sent++;
    }
    TIMER_ALARM0 = TIMER_TIMERAWL + 20;
}
static void core_1(void) {
    for (;;) {
        push(pop());
    }
}
static void core_0(void) {
    alarm_in(20, send_events);
    UNMASK();
    for (unsigned round = 0; round < ROUNDS; round++) {
        pop();
        spend(50); // prints it
    }
    MASK();
}

#elif defined(ATOMIC_SECTION)
// micropython#11751: an atomic section lets interrupts in again before it gives back the lock that their handlers take.
static struct mutex atomic_mutex = {{&SPINLOCK(16)}, -1};
FUNCTION void begin_atomic(void) {
    MASK();
    lock_mutex(&atomic_mutex);
}
FUNCTION void end_atomic(void) {
#ifdef CURED
    unlock_mutex(&atomic_mutex);
    UNMASK();
#else
    UNMASK();
    unlock_mutex(&atomic_mutex);
#endif
}
FUNCTION void schedule(void) {
    TIMER_INTR = 1;
    begin_atomic();
    flag++;
    end_atomic();
}
FUNCTION void stay_locked_out(void) { pop(); }
static void core_1(void) { stay_locked_out(); }
static void core_0(void) {
    alarm_in(100, schedule);
    begin_atomic();
    spend(200);
    end_atomic();
    push(1);
}

#elif defined(SLEEPS_IN_HANDLER)
// pico-sdk#108: a handler sleeps until an alarm wakes it, whose own handler has to wait for this one to end.
FUNCTION void on_wake_up(void) {
    TIMER_INTR = 1u << IRQ_TIMER_3;
    SEV();
}
FUNCTION void sleep(uint32_t us) {
    const uint32_t until = TIMER_TIMERAWL + us;
    TIMER_ALARM3 = until;
    while ((int32_t)(TIMER_TIMERAWL - until) < 0) {
        WFE();
    }
}
FUNCTION void on_button(void) {
    TIMER_INTR = 1;
#ifdef CURED
    spend(100);
#else
    sleep(100);
#endif
    flag = 1;
}
static void core_1(void) {}
static void core_0(void) {
    set_handler(IRQ_TIMER_3, on_wake_up);
    TIMER_INTE = 1u << IRQ_TIMER_3;
    NVIC_ISER = 1u << IRQ_TIMER_3;
    alarm_in(50, on_button);
    UNMASK();
    while (flag == 0) {
    }
}

#elif defined(HEAP)
// arduino-pico#614: both cores allocate, as printf("%f") does, and the lock of the heap does nothing.
struct block {
    struct block *next;
    uint32_t data[3];
};
static struct block blocks[8];
static struct block *volatile free_list;
#ifdef CURED
static struct mutex heap_mutex = {{&SPINLOCK(16)}, -1};
FUNCTION void lock_heap(void) { lock_mutex(&heap_mutex); }
FUNCTION void unlock_heap(void) { unlock_mutex(&heap_mutex); }
#else
FUNCTION void lock_heap(void) {}
FUNCTION void unlock_heap(void) {}
#endif
FUNCTION struct block *allocate(void) {
    lock_heap();
    struct block *block = free_list;
    if (block != NULL) {
        free_list = block->next;
    }
    unlock_heap();
    return block;
}
FUNCTION void give_back(struct block *block) {
    lock_heap();
    block->next = free_list;
    free_list = block;
    unlock_heap();
}
FUNCTION void print_floats(void) {
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct block *block = allocate();
        if (block != NULL) {
            give_back(block);
        }
    }
}
static void core_1(void) {
    pop();
    print_floats();
    flag = 1;
}
static void core_0(void) {
    for (unsigned i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        give_back(&blocks[i]);
    }
    push(1);
    print_floats();
    while (flag == 0) {
    }
}

#elif defined(RELAUNCH)
// debugprobe#62: a debugger starts core 0 anew, and core 1 goes on with what it did; it does not answer the launch.
#define SCRATCH0 REGISTER(0x4005800c) // of the watchdog, which stays
__attribute__((noreturn)) void start(void);
static void core_1(void) {
    for (;;) {
        pop();
    }
}
static void core_0(void) {
    if (SCRATCH0 == 0) {
        SCRATCH0 = 1;
        start();
    }
    push(1);
}
#endif

void example(void) {
    set_handler(IRQ_UART0, 0); // its table is in RAM
#if defined(RELAUNCH) && defined(CURED)
    reset_core_1();
#endif
    start_core_1(core_1);
    core_0();
    (void)flag;
    (void)try_to_lock;
}
