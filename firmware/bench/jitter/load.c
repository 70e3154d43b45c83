/* The work of the busy tasks of the benchmark `jitter` */
#include "load.h"

#include <string.h>

#include "busy_wait.h"
#include "port_objects.h"

/* Iterations of a loop between two checks for the end of the stretch: about 1 µs on a PC, 10 µs on a chip */
#define LOAD_TURNS 200U
#define HEAVY_OPERATIONS 10U /* multiplications, as in the publication of seed 002 */
/* Bytes of a line for the console, and how many lines a second a serial line takes at 115,200 bit/s, of 10 bits a byte.
 * A console without a bit rate, which may be far faster, gets as many from each task, so that the host keeps up. */
#define LINE_BYTES 64U
#define LINES_HZ (115200U / (10U * LINE_BYTES))

/* All busy tasks do the same work. */
static union {
    port_queue_t queues[PORT_CORES_MAX];
    port_mutex_t console; /* keeps the lines of several tasks apart, as in an application */
} objects;

bool ic_load_is_on(enum load load, uint32_t pinned_to, uint32_t core) {
    switch (load) {
    case LOAD_CORE0:
        return core == 0;
    case LOAD_CORE1:
        return core == 1;
    case LOAD_BOTH:
        return core < 2;
    case LOAD_SAME:
        return pinned_to == PORT_CORE_ANY || pinned_to == core;
    case LOAD_NONE:
        break;
    }
    return false;
}

static void close_queues(uint32_t count) {
    while (count > 0) {
        port_queue_destroy(&objects.queues[--count]);
    }
}

static bool open_queues(void) {
    for (uint32_t core = 0; core < port_core_count(); core++) {
        if (port_queue_init(&objects.queues[core], 1, sizeof(uint32_t)) != PORT_OK) {
            close_queues(core);
            return false;
        }
    }
    return true;
}

bool ic_load_open(enum load_work work) {
    if (work == WORK_QUEUE) {
        return open_queues();
    }
    return work != WORK_UART || port_mutex_init(&objects.console) == PORT_OK;
}

void ic_load_close(enum load_work work) {
    if (work == WORK_QUEUE) {
        close_queues(port_core_count());
    } else if (work == WORK_UART) {
        port_mutex_destroy(&objects.console);
    }
}

void ic_load_await_console(enum load_work work) {
    if (work == WORK_UART) {
        port_mutex_lock(&objects.console);
        port_mutex_unlock(&objects.console);
    }
}

static bool is_set(const atomic_bool *flag) { return atomic_load_explicit(flag, memory_order_relaxed); }

/* Calls the kernel without ever waiting: its critical sections keep out the tick and the other core's. */
static void use_queue(port_queue_t *queue) {
    uint32_t item = 0;
    port_queue_send(queue, &item);
    port_queue_receive(queue, &item);
}

/* Reads and writes a part of memory region 0, which no other load uses. */
static void use_memory(uint32_t core, const atomic_bool *halted) {
    struct port_region region;
    if (port_region(0, &region)) {
        uint32_t words = (uint32_t)region.bytes / sizeof(uint32_t) / port_core_count();
        volatile uint32_t *word = (volatile uint32_t *)region.base + (size_t)core * words;
        for (uint32_t i = 0; i < words && !is_set(halted); i++) {
            word[i]++;
        }
    }
}

/* Prints a line as an application prints its log; the driver of the console returns when the line has left. It is of
 * carriage returns, so the host sees an empty line. `halted` is read again under the lock: whoever has the lock after
 * the halt finds the console free. */
static void use_console(const atomic_bool *halted) {
    uint8_t line[LINE_BYTES];
    uint64_t next = port_clock() + port_clock_hz() / LINES_HZ;
    memset(line, '\r', sizeof line);
    line[LINE_BYTES - 1U] = '\n';
    port_mutex_lock(&objects.console);
    if (!is_set(halted)) {
        (void)port_console_write(line, sizeof line);
    }
    port_mutex_unlock(&objects.console);
    while (port_console_rate() == 0 && port_clock() < next && !is_set(halted)) {
        ic_busy_wait(LOAD_TURNS);
    }
}

void ic_load_turn(enum load_work work, uint32_t core, const atomic_bool *halted) {
    if (work == WORK_QUEUE) {
        use_queue(&objects.queues[core]);
    } else if (work == WORK_MEMORY) {
        use_memory(core, halted);
    } else if (work == WORK_UART) {
        use_console(halted);
    } else {
        ic_busy_wait(LOAD_TURNS);
    }
}

void ic_load_multiply(void) {
    static volatile uint32_t product = 1;
    for (uint32_t i = 0; i < HEAVY_OPERATIONS; i++) {
        product = product * 3U;
    }
}
