/* The transport `ring-futex`: like the transport `ring`, which copies messages, but the ends sleep on a Linux futex
 * instead of using port.h's notifications. It would also work between two processes that share memory.
 *
 * A wake-up sets the other end's word in shared memory, and calls the kernel only if the word was clear. */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"
#include "transports.h"

/* In front of the ring in shared memory: for each end, whether it has been woken since its previous wait */
struct wakes {
    _Alignas(IC_SPSC_LINE) atomic_uint of[2]; /* indexed by role */
};

static atomic_uint *wake_word(const struct ic_transport_end *end, enum ic_transport_role role) {
    struct wakes *wakes = end->setup->memory;
    return &wakes->of[role];
}

static long call_futex(atomic_uint *word, int operation, unsigned value, const struct timespec *limit) {
    return syscall(SYS_futex, word, operation, value, limit, NULL, 0);
}

static bool futex_wait(void *arg) {
    const struct ic_transport_end *end = arg;
    atomic_uint *word = wake_word(end, end->role);
    const struct timespec limit = {.tv_sec = IC_TRANSPORT_SLICE_MS / 1000U};
    while (!end->setup->polling && atomic_exchange(word, 0) == 0) {
        if (ic_transport_over(end)) {
            return false;
        }
        (void)call_futex(word, FUTEX_WAIT, 0, &limit); /* returns at once if the word is set */
    }
    return !ic_transport_over(end);
}

static void futex_wake(void *arg) {
    const struct ic_transport_end *end = arg;
    atomic_uint *word = wake_word(end, end->role == IC_TRANSPORT_SENDER ? IC_TRANSPORT_RECEIVER : IC_TRANSPORT_SENDER);
    if (atomic_exchange(word, 1) == 0) {
        (void)call_futex(word, FUTEX_WAKE, 1, NULL);
    }
}

/* Returns how many bytes of the shared memory the ring gets. */
static uint32_t ring_bytes(const struct ic_transport_setup *setup) {
    uint32_t before = (uint32_t)sizeof(struct wakes);
    return setup->memory_bytes < before ? 0 : setup->memory_bytes - before;
}

static uint32_t futex_capacity(const struct ic_transport_setup *setup) { return ic_ring_capacity(ring_bytes(setup)); }

static bool futex_open(struct ic_transport_end *end) {
    const struct ic_transport_setup *setup = end->setup;
    const struct ic_waiting waiting = {
        .wait = futex_wait, .wake = setup->polling ? NULL : futex_wake, .arg = end, .sleeps = !setup->polling};
    if (end->role == IC_TRANSPORT_SENDER) {
        atomic_store(wake_word(end, IC_TRANSPORT_SENDER), 0);
        atomic_store(wake_word(end, IC_TRANSPORT_RECEIVER), 0);
    }
    ic_ring_open(end, (struct wakes *)setup->memory + 1, ring_bytes(setup), &waiting);
    return true;
}

static void futex_close(struct ic_transport_end *end) { (void)end; }

const struct ic_transport ic_transport_ring_futex = {
    .name = "ring-futex",
    .summary = "the transport `ring`, whose ends sleep on a Linux futex; copied in and out",
    .capacity = futex_capacity,
    .open = futex_open,
    .close = futex_close,
    .send = ic_ring_send,
    .receive = ic_ring_receive,
};
