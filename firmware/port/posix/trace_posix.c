/* port_trace.h on Linux, and the task that runs on each core, as far as the port knows it.
 *
 * The ring buffer of each core has a lock, because threads on one core can preempt each other at any instruction; no
 * core waits for the lock of another core. The lock has priority inheritance if the system supports it: otherwise a
 * task of high priority could wait for a lock whose owner a third task keeps off the core. */
#include "trace_posix.h"

#include <pthread.h>
#include <stdatomic.h>

#include "port_posix.h"
#include "port_trace.h"
#include "trace.h"
#include "trace_scheduler_posix.h"

#define WAITING_MAX 128U

/* State of the calling thread */
static __thread struct {
    uint32_t masked; /* how deeply port_trace_mask() is nested */
    uint32_t core;   /* the core whose lock the thread holds while `masked` is above 0 */
    uint32_t task;   /* number of the thread's task; 0 until it is known */
    bool in_handler;
    bool comes; /* the thread is recording its own switch; see() must not record it */
} own;

static pthread_mutex_t locks[PORT_CORES_MAX];

/* Number of the task that was last seen on each core; 0 for none. Protected by the core's lock. */
static uint32_t seen[PORT_CORES_MAX];

/* Number of the task that caused each event in a core's ring buffer, if Linux's scheduler events are recorded.
 * Protected by the core's lock. */
static uint32_t authors[PORT_CORES_MAX][IC_TRACE];

/* Waiting tasks, and the object for which each of them waits */
static struct {
    atomic_uint task; /* 0: free */
    _Atomic(uintptr_t) object;
} waiting[WAITING_MAX];

bool trace_posix_start(void) {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return false;
    }
    int protocol = port_posix_inherits_priority() ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE;
    bool made = pthread_mutexattr_setprotocol(&attributes, protocol) == 0;
    for (uint32_t core = 0; core < PORT_CORES_MAX && made; core++) {
        made = pthread_mutex_init(&locks[core], &attributes) == 0;
    }
    pthread_mutexattr_destroy(&attributes);
    trace_scheduler_start();
    return made;
}

/* ---- the ring's lock ---- */

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,misc-use-internal-linkage): the linker's names
uint32_t __real_port_core_id(void);
uint32_t __wrap_port_core_id(void);

/* While the recorder holds a ring buffer, this is the core of that buffer, even if the thread has migrated since. */
uint32_t __wrap_port_core_id(void) { return own.masked > 0 ? own.core : __real_port_core_id(); }
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,misc-use-internal-linkage)

static uint32_t core_of_ring(void) {
    uint32_t core = __real_port_core_id();
    return core < PORT_CORES_MAX ? core : 0; /* the thread is on none of the cores with which the program was started */
}

/* Names a thread that port_task_start() did not start: the console, or a thread of the system, such as a timer's. Call
 * it with the ring buffer's lock held. */
static void know_task(void) {
    if (own.task == 0) {
        own.task = ic_trace_task(own.in_handler ? "handler" : "console");
        trace_scheduler_know(own.task);
    }
}

/* If Linux's scheduler events are recorded, stores in `authors` which task causes the current event. If not, records
 * that this task runs, unless it is the task that was last seen on the core. An empty ring buffer belongs to a new
 * recording, in which no task has been seen. */
static void see(void) {
    if (ic_trace_recording == 0U || own.comes) {
        return;
    }
    if (trace_scheduler_is_seen()) {
        know_task();
        authors[own.core][ic_trace_count(own.core) % IC_TRACE] = own.task; /* for the event that is about to be
                                                                              recorded */
        return;
    }
    if (own.in_handler) {
        return;
    }
    if (ic_trace_count(own.core) == 0) {
        seen[own.core] = 0;
    }
    know_task();
    if (seen[own.core] != own.task) {
        seen[own.core] = own.task;
        ic_trace(IC_TRACE_IN, 1, own.task);
    }
}

uint32_t port_trace_mask(void) {
    if (own.masked++ > 0) {
        return 0;
    }
    own.core = core_of_ring();
    (void)pthread_mutex_lock(&locks[own.core]);
    while (core_of_ring() != own.core) { /* the thread has waited for the lock, and has migrated meanwhile */
        (void)pthread_mutex_unlock(&locks[own.core]);
        own.core = core_of_ring();
        (void)pthread_mutex_lock(&locks[own.core]);
    }
    see();
    return 0;
}

void port_trace_unmask(uint32_t kept) {
    (void)kept;
    if (--own.masked == 0) {
        (void)pthread_mutex_unlock(&locks[own.core]);
    }
}

uint32_t trace_posix_author(uint32_t core, uint32_t number) { return authors[core][number % IC_TRACE]; }

void trace_posix_for_each_core(void (*call)(uint32_t core)) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        (void)pthread_mutex_lock(&locks[core]);
        own.core = core;
        own.masked++;
        call(core);
        port_trace_unmask(0);
    }
}

/* ---- tasks ---- */

uint32_t trace_posix_task(void) {
    if (own.task == 0) {
        uint32_t kept = port_trace_mask();
        know_task();
        port_trace_unmask(kept);
    }
    return own.task;
}

void trace_posix_created(port_task_t *task, const char *name) {
    uint32_t kept = port_trace_mask();
    task->number = ic_trace_task(name);
    ic_trace(IC_TRACE_CREATED, 0, task->number);
    if (!trace_scheduler_is_seen()) {
        ic_trace(IC_TRACE_READY, 0, task->number);
    }
    port_trace_unmask(kept);
}

/* Records that this task has the core again, unless Linux's scheduler events are recorded: their switches show it
 * already. */
static void comes_in(void) {
    if (trace_scheduler_is_seen()) {
        return;
    }
    own.comes = true;
    uint32_t kept = port_trace_mask();
    own.comes = false;
    if (ic_trace_recording != 0U) {
        seen[own.core] = trace_posix_task();
        ic_trace(IC_TRACE_IN, 0, own.task);
    }
    port_trace_unmask(kept);
}

static void goes_out(void) {
    if (trace_scheduler_is_seen()) {
        return;
    }
    uint32_t kept = port_trace_mask();
    ic_trace(IC_TRACE_OUT, 0, trace_posix_task());
    seen[own.core] = 0;
    port_trace_unmask(kept);
}

void trace_posix_begins(const port_task_t *task) {
    own.task = task->number;
    trace_scheduler_know(own.task);
    comes_in();
}

void trace_posix_ends(const port_task_t *task) {
    ic_trace(IC_TRACE_DELETED, 0, own.task);
    trace_posix_wakes(task, false); /* the joining task */
    goes_out();
}

/* ---- waits ---- */

struct trace_posix_wait trace_posix_leaves(const void *object) {
    struct trace_posix_wait wait = {WAITING_MAX};
    for (uint32_t place = 0; place < WAITING_MAX && object != NULL; place++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&waiting[place].task, &nobody, trace_posix_task())) {
            atomic_store(&waiting[place].object, (uintptr_t)object);
            wait.place = place;
            break;
        }
    }
    goes_out();
    return wait;
}

void trace_posix_returns(struct trace_posix_wait wait) {
    comes_in();
    if (wait.place < WAITING_MAX) {
        atomic_store(&waiting[wait.place].object, 0);
        atomic_store(&waiting[wait.place].task, 0);
    }
}

/* Records that a waiting task becomes ready. The task then counts as not waiting, even before it runs, so that the
 * event is recorded only once. */
static void make_ready(uint32_t place, const void *object) {
    uint32_t task = atomic_load(&waiting[place].task);
    uintptr_t its = (uintptr_t)object;
    if (atomic_compare_exchange_strong(&waiting[place].object, &its, 0)) {
        ic_trace(IC_TRACE_READY, 0, task);
    }
}

void trace_posix_wakes(const void *object, bool all) {
    if (ic_trace_recording == 0U || trace_scheduler_is_seen()) {
        return;
    }
    uint32_t found = 0, last = 0;
    for (uint32_t place = 0; place < WAITING_MAX; place++) {
        if (atomic_load_explicit(&waiting[place].object, memory_order_relaxed) == (uintptr_t)object) {
            found++;
            last = place;
            if (all) {
                make_ready(place, object);
            }
        }
    }
    if (found == 1 && !all) {
        make_ready(last, object);
    }
}

/* ---- handlers ---- */

void trace_posix_enters_handler(void) { own.in_handler = true; }

void trace_posix_leaves_handler(void) { own.in_handler = false; }
