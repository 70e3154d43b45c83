#include "vring.h"

#include <stddef.h>

/* Each ring has three 16-bit words besides its entries: flags, idx, and an event index, for which virtio 1.2, section
 * 2.7.2, reserves room even if the index is not used. */
#define RING_WORDS_BYTES 6U
#define SUPPRESSED 1U
/* Required alignment of a buffer, in bytes */
#define BUFFER_ALIGN 8U

/* ---- layout ---- */

static uint32_t align(uint32_t bytes) { return (bytes + IC_VRING_ALIGN - 1U) & ~(IC_VRING_ALIGN - 1U); }

static uint32_t place_of_used(uint32_t num) {
    return align((uint32_t)sizeof(struct ic_vring_descriptor) * num + RING_WORDS_BYTES +
                 (uint32_t)sizeof(uint16_t) * num);
}

uint32_t ic_vring_bytes(uint32_t num) {
    return place_of_used(num) + align(RING_WORDS_BYTES + (uint32_t)sizeof(struct ic_vring_used_element) * num);
}

struct ic_vring ic_vring_at(void *memory, uint32_t num) {
    struct ic_vring_descriptor *descriptors = memory;
    uint8_t *bytes = memory;
    return (struct ic_vring){.num = num,
                             .descriptors = descriptors,
                             .available = (void *)(descriptors + num),
                             .used = (void *)(bytes + place_of_used(num))};
}

/* ---- notifications ---- */

/* Notifies the other end if it asks for that. Call it after each progress that the other end may wait for. */
static void notify(const struct ic_waiting *waiting, const _Atomic(uint16_t) *flags) {
    if (waiting->wake != NULL) {
        atomic_thread_fence(memory_order_seq_cst);
        if ((atomic_load_explicit(flags, memory_order_relaxed) & SUPPRESSED) == 0) {
            waiting->wake(waiting->arg);
        }
    }
}

static void suppress(_Atomic(uint16_t) *flags) { atomic_store_explicit(flags, SUPPRESSED, memory_order_relaxed); }

static void ask_for_notification(_Atomic(uint16_t) *flags) {
    atomic_store_explicit(flags, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

static bool has_moved(const _Atomic(uint16_t) *idx, uint16_t seen) {
    return atomic_load_explicit(idx, memory_order_relaxed) != seen;
}

/* Waits until the other end's idx differs from the value last seen. `flags` is the flags word that this end writes.
 * Returns false if wait() gives up. */
static bool await_move(const struct ic_vring_end *end, _Atomic(uint16_t) *flags, const _Atomic(uint16_t) *idx) {
    const struct ic_waiting *waiting = &end->waiting;
    bool moved = false;
    bool going_on = true;
    while (!moved && going_on) {
        if (waiting->sleeps) {
            ask_for_notification(flags);
            moved = has_moved(idx, end->seen);
        }
        going_on = moved || waiting->wait(waiting->arg);
        if (waiting->sleeps) {
            suppress(flags);
        }
        moved = moved || has_moved(idx, end->seen);
    }
    return moved;
}

/* ---- both ends ---- */

/* Whether the other end's ring has another entry for this end; more than `most` new entries are invalid. Afterwards,
 * everything that the other end wrote before the entry is visible. */
static bool look(struct ic_vring_end *end, const _Atomic(uint16_t) *idx, uint16_t most) {
    if (end->taken == end->seen && !end->corrupt) {
        uint16_t seen = atomic_load_explicit(idx, memory_order_acquire);
        end->corrupt = (uint16_t)(seen - end->taken) > most;
        end->seen = end->corrupt ? end->taken : seen;
    }
    return end->taken != end->seen && !end->corrupt;
}

static bool refuse(struct ic_vring_end *end) {
    end->corrupt = true;
    return false;
}

static uint32_t place(const struct ic_vring *ring, uint16_t idx) { return idx & (ring->num - 1U); }

/* ---- functions of the driver ---- */

void ic_vring_open_driver(struct ic_vring_end *driver, const struct ic_vring *ring, const struct ic_waiting *waiting) {
    *driver = (struct ic_vring_end){.ring = *ring, .waiting = *waiting};
    suppress(&ring->available->flags);
}

void ic_vring_make_available(struct ic_vring_end *driver, uint32_t id, const void *address, uint32_t bytes,
                             uint16_t flags) {
    const struct ic_vring *ring = &driver->ring;
    ring->descriptors[id] =
        (struct ic_vring_descriptor){.addr = (uint64_t)(uintptr_t)address, .len = bytes, .flags = flags};
    ring->available->ring[place(ring, driver->given)] = (uint16_t)id;
    atomic_store_explicit(&ring->available->idx, ++driver->given, memory_order_release);
    notify(&driver->waiting, &ring->used->flags);
}

bool ic_vring_take_used(struct ic_vring_end *driver, uint32_t *id, uint32_t *written) {
    const struct ic_vring *ring = &driver->ring;
    if (!look(driver, &ring->used->idx, (uint16_t)(driver->given - driver->taken))) {
        return false;
    }
    /* Volatile, so that the buffer's number is read only once: the checked number is the one that is used. */
    const volatile struct ic_vring_used_element *element = &ring->used->ring[place(ring, driver->taken)];
    uint32_t found = element->id;
    if (found >= ring->num) {
        return refuse(driver);
    }
    driver->taken++;
    *id = found;
    *written = element->len;
    return true;
}

bool ic_vring_await_used(struct ic_vring_end *driver, uint32_t *id, uint32_t *written) {
    const struct ic_vring *ring = &driver->ring;
    bool going_on = true;
    while (going_on) {
        if (ic_vring_take_used(driver, id, written)) {
            return true;
        }
        going_on = !driver->corrupt && await_move(driver, &ring->available->flags, &ring->used->idx);
    }
    return false;
}

/* ---- functions of the device ---- */

void ic_vring_open_device(struct ic_vring_end *device, const struct ic_vring *ring, const struct ic_waiting *waiting,
                          const void *memory, uint32_t bytes, uint16_t flags) {
    *device = (struct ic_vring_end){
        .ring = *ring, .waiting = *waiting, .first = (uintptr_t)memory, .bytes = bytes, .flags = flags};
    suppress(&ring->used->flags);
}

/* Reads and checks a descriptor; volatile, so that each field is read only once */
static bool read_descriptor(struct ic_vring_end *device, uint32_t id, struct ic_vring_buffer *buffer) {
    const volatile struct ic_vring_descriptor *descriptor = &device->ring.descriptors[id];
    uint64_t offset = descriptor->addr - device->first;
    uint32_t bytes = descriptor->len;
    if (descriptor->flags != device->flags || bytes > device->bytes || offset > device->bytes - bytes ||
        (device->first + offset) % BUFFER_ALIGN != 0) {
        return refuse(device);
    }
    *buffer = (struct ic_vring_buffer){
        .id = id, .address = (void *)(uintptr_t)(device->first + offset), .bytes = bytes}; /* NOLINT: within memory */
    return true;
}

bool ic_vring_take_available(struct ic_vring_end *device, struct ic_vring_buffer *buffer) {
    const struct ic_vring *ring = &device->ring;
    uint16_t held = (uint16_t)(device->taken - device->given);
    if (!look(device, &ring->available->idx, (uint16_t)(ring->num - held))) {
        return false;
    }
    const volatile uint16_t *entry = &ring->available->ring[place(ring, device->taken)];
    uint32_t id = *entry;
    if (id >= ring->num) {
        return refuse(device);
    }
    device->taken++;
    return read_descriptor(device, id, buffer);
}

bool ic_vring_await_available(struct ic_vring_end *device, struct ic_vring_buffer *buffer) {
    const struct ic_vring *ring = &device->ring;
    bool going_on = true;
    while (going_on) {
        if (ic_vring_take_available(device, buffer)) {
            return true;
        }
        going_on = !device->corrupt && await_move(device, &ring->used->flags, &ring->available->idx);
    }
    return false;
}

void ic_vring_give_back(struct ic_vring_end *device, uint32_t id, uint32_t written) {
    const struct ic_vring *ring = &device->ring;
    ring->used->ring[place(ring, device->given)] = (struct ic_vring_used_element){.id = id, .len = written};
    atomic_store_explicit(&ring->used->idx, ++device->given, memory_order_release);
    notify(&device->waiting, &ring->available->flags);
}
