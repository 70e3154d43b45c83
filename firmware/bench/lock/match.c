/* The timed code of the benchmark `lock`: hand-off, contention and ping-pong of a lock between cores */
#include "match.h"

/* Microseconds after which a task that waits for a lock has blocked, if this kind of lock blocks */
#define SETTLING_US 50U

/* The timed code is instantiated for each kind of lock, so that it contains no branch and no call through a pointer. */
#define FOR_EACH_LOCK static inline __attribute__((always_inline))

struct match ic_match;

/* ---- the locks ---- */

FOR_EACH_LOCK bool is_atomic(enum lock lock) { return lock == ATOMIC_ADD || lock == ATOMIC_SWAP; }

FOR_EACH_LOCK void enter(enum lock lock) {
    if (lock == MUTEX) {
        port_mutex_lock(&ic_match.mutex);
    } else if (lock == SPINLOCK) {
        port_spinlock_lock(&ic_match.spinlock);
    } else if (lock == CRITICAL_SECTION) {
        port_critical_enter();
    }
}

FOR_EACH_LOCK void leave(enum lock lock) {
    if (lock == MUTEX) {
        port_mutex_unlock(&ic_match.mutex);
    } else if (lock == SPINLOCK) {
        port_spinlock_unlock(&ic_match.spinlock);
    } else if (lock == CRITICAL_SECTION) {
        port_critical_exit();
    }
}

bool ic_lock_make(enum lock lock) {
    if (lock == MUTEX) {
        return port_mutex_init(&ic_match.mutex) == PORT_OK;
    }
    return lock != SPINLOCK || port_spinlock_init(&ic_match.spinlock) == PORT_OK;
}

void ic_lock_unmake(enum lock lock) {
    if (lock == MUTEX) {
        port_mutex_destroy(&ic_match.mutex);
    } else if (lock == SPINLOCK) {
        port_spinlock_destroy(&ic_match.spinlock);
    }
}

/* Increments the counter with an atomic operation. */
FOR_EACH_LOCK void count(enum lock lock) {
    if (lock == ATOMIC_ADD) {
        (void)port_atomic_add(&ic_match.atomic, 1);
        return;
    }
    uint32_t before;
    do {
        before = ic_match.atomic.value;
    } while (!port_atomic_swap(&ic_match.atomic, before, before + 1U));
}

uint32_t ic_lock_counted(enum lock lock) { return is_atomic(lock) ? ic_match.atomic.value : ic_match.plain; }

static void let_pass(uint32_t turns) {
    for (volatile uint32_t left = turns; left > 0; left--) {
    }
}

/* Delays a release by `turns` iterations, and by a step of a few cycles for each bit that is set in `bits`. With
 * iterations alone, the release would always meet the waiting core's loop at the same point if the length of one loop
 * were a multiple of the length of the other loop. */
static void shift(uint32_t turns, uint32_t bits) {
    let_pass(turns);
    for (; bits != 0; bits >>= 1U) {
        if ((bits & 1U) != 0) {
            ic_match.step = bits;
        }
    }
}

static void settle(void) {
    uint64_t start = port_clock();
    uint64_t wait = SETTLING_US * port_clock_hz() / 1000000U;
    while (port_clock() - start < wait) {
    }
}

/* Barrier: returns when all tasks of the repetition have called it, each on its core. */
static void meet(void) {
    if (port_atomic_add(&ic_match.met, 1) + 1U == ic_match.sides) {
        ic_match.start = port_clock();
        atomic_store_explicit(&ic_match.started, true, memory_order_release);
    }
    while (!atomic_load_explicit(&ic_match.started, memory_order_acquire)) {
    }
}

/* ---- hand-off ---- */

/* Acquires the lock or, with atomic operations, waits until the counter is `turn`. Returns a clock reading taken right
 * after that. */
FOR_EACH_LOCK uint64_t acquire(enum lock lock, uint32_t turn) {
    if (lock == ATOMIC_ADD) {
        while (port_atomic_add(&ic_match.atomic, 0) != turn) {
        }
    } else if (lock == ATOMIC_SWAP) {
        while (!port_atomic_swap(&ic_match.atomic, turn, turn)) {
        }
    } else {
        enter(lock);
    }
    return port_clock();
}

/* Releases the lock or, with atomic operations, sets the counter to `turn` + 1. Returns a clock reading taken right
 * before that. */
FOR_EACH_LOCK uint64_t release(enum lock lock, uint32_t turn) {
    uint64_t now = port_clock();
    if (lock == ATOMIC_ADD) {
        (void)port_atomic_add(&ic_match.atomic, 1);
    } else if (lock == ATOMIC_SWAP) {
        (void)port_atomic_swap(&ic_match.atomic, turn, turn + 1U);
    } else {
        leave(lock);
    }
    return now;
}

/* Stages of a hand-off between the first and the second side (task). In the stage SECOND_ASKS or FIRST_ASKS, that side
 * is about to wait for the lock. */
enum { FIRST_HAS_IT = 1, SECOND_ASKS, SECOND_HAS_IT, FIRST_ASKS, FIRST_HAS_IT_BACK };

static void tell(uint32_t stage) { atomic_store_explicit(&ic_match.stage, stage, memory_order_release); }

static bool is_at(uint32_t stage) { return atomic_load_explicit(&ic_match.stage, memory_order_acquire) == stage; }

static void await(uint32_t stage) {
    while (!is_at(stage)) {
    }
}

/* Releases the lock when the other side has waited for some time. While this side holds the lock, it does not just wait
 * until the other side asks for it: inside a critical section that could deadlock, because the other core may be in an
 * interrupt handler that waits for the end of the critical section. So this side releases the lock and acquires it
 * again, until the other side has asked for it. */
static void give(struct side *side, uint32_t turn) {
    const struct calls *calls = ic_match.calls;
    for (settle(); !is_at(turn == 0 ? SECOND_ASKS : FIRST_ASKS); settle()) {
        if (calls->is_held) {
            (void)calls->release(turn);
            (void)calls->acquire(turn);
        }
    }
    settle();
    if (calls->is_held) {
        side->right = side->right && ic_match.plain == turn;
        ic_match.plain = turn + 1U;
    }
    shift(ic_match.waits, ic_match.bits);
    side->at = calls->release(turn);
}

/* Acquires the lock for turn number `turn` of the hand-off. If this side gets the lock too early, before the other
 * side's turn, it releases the lock and acquires it again. */
static void get(struct side *side, uint32_t turn) {
    const struct calls *calls = ic_match.calls;
    tell(turn == 1 ? SECOND_ASKS : FIRST_ASKS);
    side->got = calls->acquire(turn);
    while (calls->is_held && ic_match.plain != turn) {
        (void)calls->release(turn);
        side->got = calls->acquire(turn);
    }
}

/* A hand-off has three turns: the first side holds the lock in turns 0 and 2, the second side in turn 1. After a
 * release, a side waits without kernel calls until the other side has the lock: it must neither acquire the lock first
 * nor hold the kernel's own locks. */
static void hand_off(struct side *side) {
    meet();
    if (side->first) {
        (void)ic_match.calls->acquire(0);
        tell(FIRST_HAS_IT);
        give(side, 0);
        await(SECOND_HAS_IT);
        get(side, 2);
        tell(FIRST_HAS_IT_BACK);
        if (ic_match.calls->is_held) {
            (void)ic_match.calls->release(2);
        }
    } else {
        await(FIRST_HAS_IT);
        get(side, 1);
        tell(SECOND_HAS_IT);
        give(side, 1);
        await(FIRST_HAS_IT_BACK);
    }
}

/* ---- contention ---- */

/* Called with the lock held: returns whether this acquisition belongs to the bout (the competition for the lock). A
 * bout ends when one core has made `rounds` acquisitions; with atomic operations, which hold no lock, the other cores
 * may make further acquisitions slightly later. */
FOR_EACH_LOCK bool is_of_bout(struct side *side, uint64_t now) {
    if (atomic_load_explicit(&ic_match.over, memory_order_acquire)) {
        return false;
    }
    side->got = now;
    if (++side->taken == ic_match.rounds) {
        atomic_store_explicit(&ic_match.over, true, memory_order_release);
    }
    return true;
}

FOR_EACH_LOCK void compete(struct side *side, enum lock lock) {
    bool is_one;
    meet();
    do {
        enter(lock);
        if (is_atomic(lock)) {
            count(lock);
        }
        uint64_t now = port_clock();
        is_one = is_of_bout(side, now);
        if (!is_atomic(lock)) { /* loses an increment if another core is inside the lock, too */
            uint32_t before = ic_match.plain;
            let_pass(ic_match.hold);
            ic_match.plain = before + 1U;
        }
        leave(lock);
        side->entered++;
        if (is_one && ic_match.records) {
            (void)ic_samples_add(side->moments, (int64_t)(ic_match.before + (now - ic_match.start)));
        }
        let_pass(ic_match.pause);
    } while (is_one);
}

/* ---- ping-pong ---- */

/* Waits until the word that the cores exchange is `mine`, and changes it to `mine` + 1. */
FOR_EACH_LOCK void bounce(enum lock lock, uint32_t mine) {
    if (lock == ATOMIC_ADD) {
        while (port_atomic_add(&ic_match.atomic, 0) != mine) {
        }
        (void)port_atomic_add(&ic_match.atomic, 1);
    } else {
        while (!port_atomic_swap(&ic_match.atomic, mine, mine + 1U)) {
        }
    }
}

FOR_EACH_LOCK void ping_pong(struct side *side, enum lock lock) {
    uint32_t last = 2U * ic_match.batch;
    uint32_t mine = side->first ? 0 : 1;
    meet();
    uint64_t start = port_clock();
    for (; mine < last; mine += 2) {
        bounce(lock, mine);
    }
    if (side->first) { /* the word has come back */
        bounce(lock, last);
        side->at = start;
        side->got = port_clock();
    }
}

/* ---- tasks ---- */

/* Waits until woken; returns false if the task must end. */
static bool await_turn(struct side *side) {
    port_notify_take();
    if (ic_match.dismissed) {
        side->preempted = port_preemptions();
    }
    return !ic_match.dismissed;
}

static void end_turn(struct side *side) {
    side->migrated = side->migrated || port_core_id() != side->core;
    port_notify(ic_match.leader);
}

void ic_lock_play_match(void *arg) {
    for (struct side *side = arg; await_turn(side); end_turn(side)) {
        ic_match.play(side);
    }
}

#define CALLS_OF(NAME, LOCK)                                                                                           \
    static uint64_t acquire_##NAME(uint32_t turn) { return acquire(LOCK, turn); }                                      \
    static uint64_t release_##NAME(uint32_t turn) { return release(LOCK, turn); }                                      \
    static void compete_##NAME(struct side *side) { compete(side, LOCK); }

CALLS_OF(mutex, MUTEX)
CALLS_OF(spinlock, SPINLOCK)
CALLS_OF(critical_section, CRITICAL_SECTION)
CALLS_OF(atomic_add, ATOMIC_ADD)
CALLS_OF(atomic_swap, ATOMIC_SWAP)
static void bounce_atomic_add(struct side *side) { ping_pong(side, ATOMIC_ADD); }
static void bounce_atomic_swap(struct side *side) { ping_pong(side, ATOMIC_SWAP); }

const struct calls ic_lock_calls[LOCKS] = {
    [MUTEX] = {true, acquire_mutex, release_mutex, {hand_off, compete_mutex, NULL}},
    [SPINLOCK] = {true, acquire_spinlock, release_spinlock, {hand_off, compete_spinlock, NULL}},
    [CRITICAL_SECTION] = {true,
                          acquire_critical_section,
                          release_critical_section,
                          {hand_off, compete_critical_section, NULL}},
    [ATOMIC_ADD] = {false, acquire_atomic_add, release_atomic_add, {hand_off, compete_atomic_add, bounce_atomic_add}},
    [ATOMIC_SWAP] = {false,
                     acquire_atomic_swap,
                     release_atomic_swap,
                     {hand_off, compete_atomic_swap, bounce_atomic_swap}},
};
