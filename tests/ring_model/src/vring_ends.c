/* A sender and a receiver on the vring, as firmware/transport/rpmsg.c has them, with buffers of 16 bytes: by the names
 * and types that the model has for the ring. Compiled for either direction: DRIVER_SENDS is 1 or 0; and for so many
 * buffers: NUM is 1 or 2. */
#include <stddef.h>

#include "vring.h"

#define BUFFER_BYTES 16U
#define CONTROL 128U /* bytes of such a vring */

struct end {
    struct ic_vring_end vring;
    uint8_t *buffers;
    uint32_t fresh;
    struct ic_vring_buffer buffer;
};

struct layout {
    size_t sender;
    size_t receiver;
    size_t control;
    size_t grain;
    size_t atomics[4];
};

extern const struct layout layout;

const struct layout layout = {
    .sender = sizeof(struct end),
    .receiver = sizeof(struct end),
    .control = CONTROL,
    .grain = sizeof(uint16_t),
    .atomics = {NUM * 16U, NUM * 16U + 2U, CONTROL / 2U, CONTROL / 2U + 2U},
};

static void open_end(struct end *end, void *memory, const struct ic_waiting *waiting, _Bool driver) {
    struct ic_vring ring = ic_vring_at(memory, NUM);
    *end = (struct end){.buffers = (uint8_t *)memory + CONTROL};
    if (driver) {
        ic_vring_open_driver(&end->vring, &ring, waiting);
    } else {
        ic_vring_open_device(&end->vring, &ring, waiting, end->buffers, NUM * BUFFER_BYTES,
                             DRIVER_SENDS ? 0 : IC_VRING_WRITE);
    }
}

void ic_spsc_open_sender(struct end *end, void *memory, uint32_t capacity, const struct ic_waiting *waiting) {
    (void)capacity;
    open_end(end, memory, waiting, DRIVER_SENDS);
}

static void offer(struct end *end, uint32_t id) {
    ic_vring_make_available(&end->vring, id, end->buffers + id * BUFFER_BYTES, BUFFER_BYTES, IC_VRING_WRITE);
}

void ic_spsc_open_receiver(struct end *end, void *memory, uint32_t capacity, const struct ic_waiting *waiting) {
    (void)capacity;
    open_end(end, memory, waiting, !DRIVER_SENDS);
    for (uint32_t id = 0; !DRIVER_SENDS && id < NUM; id++) {
        offer(end, id);
    }
}

/* The driver's next buffer that has come back. */
static _Bool await_used(struct end *end) {
    struct ic_vring_buffer *buffer = &end->buffer;
    if (!ic_vring_await_used(&end->vring, &buffer->id, &buffer->bytes)) {
        return 0;
    }
    buffer->address = end->buffers + buffer->id * BUFFER_BYTES;
    return 1;
}

void *ic_spsc_await_room(struct end *end, uint32_t size) {
    struct ic_vring_buffer *buffer = &end->buffer;
    (void)size;
    if (!DRIVER_SENDS) {
        return ic_vring_await_available(&end->vring, buffer) ? buffer->address : NULL;
    }
    if (end->fresh < NUM) {
        buffer->id = end->fresh++;
        buffer->address = end->buffers + buffer->id * BUFFER_BYTES;
        return buffer->address;
    }
    return await_used(end) ? buffer->address : NULL;
}

void ic_spsc_publish(struct end *end, uint32_t size) {
    if (DRIVER_SENDS) {
        ic_vring_make_available(&end->vring, end->buffer.id, end->buffer.address, size, 0);
    } else {
        ic_vring_give_back(&end->vring, end->buffer.id, size);
    }
}

const void *ic_spsc_await_message(struct end *end, uint32_t *size) {
    struct ic_vring_buffer *buffer = &end->buffer;
    if (!(DRIVER_SENDS ? ic_vring_await_available(&end->vring, buffer) : await_used(end))) {
        return NULL;
    }
    *size = buffer->bytes;
    return buffer->address;
}

void ic_spsc_release(struct end *end) {
    if (DRIVER_SENDS) {
        ic_vring_give_back(&end->vring, end->buffer.id, 0);
    } else {
        offer(end, end->buffer.id);
    }
}
