/* port_interrupt.h with signals. Each interrupt has a thread, which is pinned to the interrupt's core, has a higher
 * priority than any task, and only waits for one signal. The signal's handler calls the interrupt's handler. The thread
 * preempts the core's tasks as an interrupt would, but later, because the kernel must first switch to it.
 *
 * The signals are standard signals, not real-time signals. Like an interrupt, a standard signal is either pending or
 * not, however often it was sent. A real-time signal is queued, and the queue may be full. */
#include "port_interrupt.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "port.h"
#include "port_posix.h"

#define TIMER_SIGNAL SIGALRM
#define RING_SIGNAL SIGUSR1
#define NS_PER_S 1000000000ULL

#if !defined(sigev_notify_thread_id) /* glibc before 2.38 does not define this name */
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct interrupt {
    port_task_t thread;
    void (*handler)(void *arg);
    void *arg;
    int signal;
    sem_t ready;
    bool failed;
    atomic_bool closing;
    atomic_uint sent; /* orders memory between sender and handler, as a signal alone does not */
};

static struct interrupt timer;
static timer_t timer_id;
static struct interrupt doorbells[PORT_CORES_MAX];
static __thread struct interrupt *served; /* the interrupt that the calling thread handles */

static void arrives(int signal) {
    (void)signal;
    int kept = errno;
    if (served != NULL) { /* NULL: the signal was sent to the process from outside */
        (void)atomic_load(&served->sent);
        if (!atomic_load(&served->closing)) {
            served->handler(served->arg);
            port_posix_handled();
        }
    }
    errno = kept;
}

/* Returns false if the system has no timer left. */
static bool create_timer(void) {
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TIMER_SIGNAL, .sigev_notify_thread_id = gettid()};
    return timer_create(CLOCK_MONOTONIC, &event, &timer_id) == 0;
}

/* The thread accepts its signal only inside sigsuspend(). A signal that comes earlier stays pending, so none is
 * lost. */
static void serve(void *arg) {
    struct interrupt *interrupt = arg;
    sigset_t all, all_but_ours;
    sigfillset(&all);
    sigfillset(&all_but_ours);
    sigdelset(&all_but_ours, interrupt->signal);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    served = interrupt;
    interrupt->failed = interrupt == &timer && !create_timer();
    sem_post(&interrupt->ready);
    while (!interrupt->failed && !atomic_load(&interrupt->closing)) {
        sigsuspend(&all_but_ours); // NOLINT(concurrency-mt-unsafe): each thread has its own signal mask
    }
}

static void await_ready(struct interrupt *interrupt) {
    while (sem_wait(&interrupt->ready) != 0) {
        /* EINTR: a debugger or a stop signal */
    }
    sem_destroy(&interrupt->ready);
}

static enum port_error open_interrupt(struct interrupt *interrupt, uint32_t core, int signal) {
    struct sigaction action = {.sa_handler = arrives, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    interrupt->signal = signal;
    atomic_store(&interrupt->closing, false);
    if (sigaction(signal, &action, NULL) != 0 || sem_init(&interrupt->ready, 0, 0) != 0) {
        return PORT_ERR_RESOURCE;
    }
    struct port_task_config config = {
        .name = "interrupt",
        .entry = serve,
        .arg = interrupt,
        .core = core,
        .priority = PORT_PRIORITY_MAX + 1U, /* above the priority of every task */
    };
    if (port_task_start(&interrupt->thread, &config) != PORT_OK) {
        sem_destroy(&interrupt->ready);
        return PORT_ERR_RESOURCE;
    }
    await_ready(interrupt);
    if (interrupt->failed) {
        port_task_join(&interrupt->thread);
        return PORT_ERR_RESOURCE;
    }
    return PORT_OK;
}

static void close_interrupt(struct interrupt *interrupt) {
    atomic_store(&interrupt->closing, true);
    pthread_kill(interrupt->thread.thread, interrupt->signal);
    port_task_join(&interrupt->thread);
}

enum port_error port_timer_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    timer.handler = handler;
    timer.arg = arg;
    return open_interrupt(&timer, core, TIMER_SIGNAL);
}

/* Deletes the timer only after its thread has ended. The thread is ended with the timer's own signal. If the timer's
 * signal is already pending, the two become one, which Linux (since 6.13) drops when the timer is deleted: the thread
 * would wait for ever. */
void port_timer_close(void) {
    close_interrupt(&timer);
    timer_delete(timer_id);
}

uint64_t port_timer_set(uint64_t when) {
    struct itimerspec once = {
        .it_value = {.tv_sec = (time_t)(when / NS_PER_S), .tv_nsec = (long)(when % NS_PER_S)},
    };
    atomic_fetch_add(&timer.sent, 1);
    timer_settime(timer_id, TIMER_ABSTIME, &once, NULL);
    return when;
}

enum port_error port_doorbell_open(uint32_t core, void (*handler)(void *arg), void *arg) {
    doorbells[core].handler = handler;
    doorbells[core].arg = arg;
    return open_interrupt(&doorbells[core], core, RING_SIGNAL);
}

void port_doorbell_close(uint32_t core) { close_interrupt(&doorbells[core]); }

void port_doorbell_ring(uint32_t core) {
    atomic_fetch_add(&doorbells[core].sent, 1);
    pthread_kill(doorbells[core].thread.thread, RING_SIGNAL);
}

void port_notify_from_handler(port_task_t *task) { port_notify(task); }
