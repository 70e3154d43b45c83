/* The recorder's ring buffers of events (core/trace.h) */
#include "port.h"
#include "port_trace.h"
#include "ring_trace.h"
#include "trace.h"

#define SIZE ((uint32_t)IC_TRACE)
#define MASK (SIZE - 1U)
_Static_assert(IC_TRACE >= 64 && (SIZE & MASK) == 0, "IC_TRACE is a power of two from 64 up");
_Static_assert(IC_TRACE > 2 * IC_TRACE_COSTS, "those that the cost is measured by fit, and the kernel's among them");

static struct ic_trace_ring {
    _Alignas(PORT_CACHE_LINE) uint32_t count; /* number of events recorded so far */
    uint32_t readings;                        /* how many of the latest events in a row are clock readings; at most 3 */
    uint32_t missing;                         /* events lost before those in the ring (ic_trace_fill()) */
    uint32_t others_cost; /* cost of an event that the platform added (ic_trace_set_others_cost()) */
    struct ic_trace_event events[SIZE];
} rings[PORT_CORES_MAX] PORT_SHARED(trace_rings);

volatile uint32_t ic_trace_recording PORT_SHARED(trace_recording);

static struct ic_trace_event *event_of(struct ic_trace_ring *ring, uint32_t number) {
    return &ring->events[number & MASK];
}

/* Appends an event to the ring buffer. Call it with interrupts and preemption off on this core. */
static void put(struct ic_trace_ring *ring, uint64_t time, uint32_t what, uint32_t object) {
    struct ic_trace_event *event = event_of(ring, ring->count);
    event->time = time;
    event->what = what;
    event->object = object;
    ring->count++;
}

void ic_trace_put(uint32_t what, uint32_t object) {
    uint32_t kept = port_trace_mask();
    struct ic_trace_ring *ring = &rings[port_core_id()];
    ring->readings = 0;
    put(ring, port_clock(), what, object);
    port_trace_unmask(kept);
}

/* Records a reading of a clock. Of successive readings only the first and the last two are kept. The number of readings
 * left out between them is stored in the detail of the second-to-last reading. */
static void put_reading(struct ic_trace_ring *ring, uint64_t time, uint32_t kind, uint32_t object) {
    if (ring->readings < 3U) {
        ring->readings++;
        put(ring, time, kind, object);
        return;
    }
    struct ic_trace_event *last = event_of(ring, ring->count - 1U);
    struct ic_trace_event *before = event_of(ring, ring->count - 2U);
    uint32_t left_out = before->what >> 8U;
    left_out = left_out == UINT32_MAX >> 8U ? left_out : left_out + 1U;
    *before = *last;
    before->what = (last->what & 0xffU) | left_out << 8U;
    last->time = time;
    last->what = kind;
    last->object = object;
}

uint64_t ic_trace_clock(void) {
    if (ic_trace_recording == 0U) {
        return port_clock();
    }
    uint32_t kept = port_trace_mask();
    struct ic_trace_ring *ring = &rings[port_core_id()];
    uint64_t now = port_clock();
    put_reading(ring, now, IC_TRACE_READ, 0);
    port_trace_unmask(kept);
    return now;
}

uint64_t ic_trace_cycles(void) {
    if (ic_trace_recording == 0U) {
        return port_cycles();
    }
    uint32_t kept = port_trace_mask();
    struct ic_trace_ring *ring = &rings[port_core_id()];
    uint64_t now = port_cycles();
    put_reading(ring, port_clock(), IC_TRACE_COUNTED, (uint32_t)now);
    port_trace_unmask(kept);
    return now;
}

void ic_trace_empty(uint32_t core) {
    rings[core].count = 0;
    rings[core].readings = 0;
    rings[core].missing = 0;
    rings[core].others_cost = 0;
}

void ic_trace_fill(uint32_t core, const struct ic_trace_event *events, uint32_t count, uint32_t missing) {
    struct ic_trace_ring *ring = &rings[core];
    ic_trace_empty(core);
    for (uint32_t number = 0; number < count; number++) {
        *event_of(ring, number) = events[number];
    }
    ring->count = count;
    ring->missing = missing;
}

void ic_trace_set_others_cost(uint32_t core, uint32_t ticks) { rings[core].others_cost = ticks; }

uint32_t ic_trace_others_cost(uint32_t core) { return rings[core].others_cost; }

uint32_t ic_trace_count(uint32_t core) { return rings[core].missing + rings[core].count; }

uint32_t ic_trace_first(uint32_t core) {
    const struct ic_trace_ring *ring = &rings[core];
    return ring->missing + (ring->count < SIZE ? 0 : ring->count - SIZE);
}

const struct ic_trace_event *ic_trace_event(uint32_t core, uint32_t number) {
    return event_of(&rings[core], number - rings[core].missing);
}
