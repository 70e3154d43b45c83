// What programs hand to each other between two cores: words in the FIFO, and the locks, semaphores and queues of an
// SDK, each with a spinlock that protects the words behind its address.
#pragma once
#include "../chip.h"

#define SPINLOCK(number) REGISTER(SIO + 0x100 + 4 * (number))
#define SEV() __asm__ volatile("dmb\n\tsev" ::: "memory")
#define WFE() __asm__ volatile("wfe" ::: "memory")
#define BARRIER() __asm__ volatile("dmb" ::: "memory")

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
enum { QUEUE = 4 };
struct queue {
    struct lock_core core;
    uint32_t *data;
    volatile uint16_t written, read;
    uint16_t element_size, element_count;
    uint32_t elements[QUEUE + 1];
};

static inline void take(volatile uint32_t *spinlock) {
    while (*spinlock == 0) {
    }
    BARRIER();
}

static inline void give(volatile uint32_t *spinlock) {
    BARRIER();
    *spinlock = 0;
}

#define FUNCTION __attribute__((noipa, unused)) static

FUNCTION void lock_mutex(struct mutex *mutex) {
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

FUNCTION void unlock_mutex(struct mutex *mutex) {
    take(mutex->core.spinlock);
    mutex->owner = -1;
    give(mutex->core.spinlock);
    SEV();
}

FUNCTION void acquire(struct semaphore *semaphore) {
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

FUNCTION void release(struct semaphore *semaphore) {
    take(semaphore->core.spinlock);
    semaphore->permits = (int16_t)(semaphore->permits + 1);
    give(semaphore->core.spinlock);
    SEV();
}

static inline uint16_t after(uint16_t at) { return at == QUEUE ? 0 : (uint16_t)(at + 1); }

FUNCTION void add(struct queue *queue, uint32_t element) {
    for (;;) {
        take(queue->core.spinlock);
        if (after(queue->written) != queue->read) {
            queue->elements[queue->written] = element;
            queue->written = after(queue->written);
            give(queue->core.spinlock);
            SEV();
            return;
        }
        give(queue->core.spinlock);
        WFE();
    }
}

FUNCTION uint32_t remove(struct queue *queue) {
    for (;;) {
        take(queue->core.spinlock);
        if (queue->written != queue->read) {
            const uint32_t element = queue->elements[queue->read];
            queue->read = after(queue->read);
            give(queue->core.spinlock);
            SEV();
            return element;
        }
        give(queue->core.spinlock);
        WFE();
    }
}

FUNCTION void push(uint32_t word) {
    while ((SIO_FIFO_ST & FIFO_RDY) == 0) {
    }
    SIO_FIFO_WR = word;
    SEV();
}

FUNCTION uint32_t pop(void) {
    while ((SIO_FIFO_ST & FIFO_VLD) == 0) {
        WFE();
    }
    return SIO_FIFO_RD;
}

FUNCTION void spend(uint32_t us) {
    for (const uint32_t begun = TIMER_TIMERAWL; TIMER_TIMERAWL - begun < us;) {
    }
}
