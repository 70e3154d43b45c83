/* The work of the busy tasks of the benchmark `jitter` */
#include "load.h"

#include "busy_wait.h"
#include "port_objects.h"

/* Iterations of a loop between two checks for the end of the stretch: about 1 µs on a PC, 10 µs on a chip */
#define LOAD_TURNS 200U
#define HEAVY_OPERATIONS 10U /* multiplications, as in the publication of seed 002 */

static port_queue_t queues[PORT_CORES_MAX];

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

bool ic_load_open(enum load_work work, uint32_t core) {
    return work != WORK_QUEUE || port_queue_init(&queues[core], 1, sizeof(uint32_t)) == PORT_OK;
}

void ic_load_close(enum load_work work, uint32_t core) {
    if (work == WORK_QUEUE) {
        port_queue_destroy(&queues[core]);
    }
}

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
        for (uint32_t i = 0; i < words && !atomic_load_explicit(halted, memory_order_relaxed); i++) {
            word[i]++;
        }
    }
}

void ic_load_turn(enum load_work work, uint32_t core, const atomic_bool *halted) {
    if (work == WORK_QUEUE) {
        use_queue(&queues[core]);
    } else if (work == WORK_MEMORY) {
        use_memory(core, halted);
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
