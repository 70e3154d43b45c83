/* A split virtqueue ("vring") for buffers of one descriptor each: what RPMsg, and every virtio device, moves buffers
 * by.
 *
 * The layout in shared memory is that of the virtio specification, version 1.2, section 2.7 "Split Virtqueues" (2.6 in
 * version 1.1): a table of descriptors (2.7.5), a ring of those that the driver makes available to the device (2.7.6),
 * and a ring of those that the device has used and gives back (2.7.8), one after the other as 2.7.2 has it, which is
 * how remoteproc and OpenAMP place them. All words are little-endian, as 2.7.3 demands: so are all processors that this
 * is for. Without the features EVENT_IDX, INDIRECT_DESC and IN_ORDER, and without chains: RPMsg asks for none of them.
 *
 * The driver allocates buffers and makes them available; the device takes them and gives them back. Whoever sleeps is
 * notified as 2.7.7 and 2.7.10 have it: each ring has a flag by which its reader says that it wants to be told of
 * nothing. An end takes it back when it is about to sleep, and looks again, lest both miss each other (2.7.14); who has
 * made progress looks at the flag behind a barrier (2.7.13, step 6). With a fence between the two at either end at
 * least one sees the other's (C11 7.17.4: sequentially consistent fences have one order). As in all of virtio an end
 * may be told more than once while it wakes up.
 *
 * Each word in shared memory is written by one end only, so it needs no atomic operation but load and store. Neither
 * end trusts what it finds there: indexes, numbers of buffers, addresses and lengths are read once and checked before
 * they are used. What makes no sense ends it. */
#ifndef IC_VRING_H
#define IC_VRING_H

/* First, as newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "waiting.h"

/* Most buffers: as many as Linux has in each direction (drivers/rpmsg/virtio_rpmsg_bus.c). Powers of two only. */
#define IC_VRING_MOST 256U
/* "Queue Align" of 2.7.2: what driver and device write stands on different cache lines. */
#define IC_VRING_ALIGN 64U

/* 2.7.5. */
struct ic_vring_descriptor {
    uint64_t addr; /* of the buffer: the same for both ends */
    uint32_t len;
    uint16_t flags;
    uint16_t next; /* not used */
};
_Static_assert(sizeof(struct ic_vring_descriptor) == 16, "virtio 1.2, 2.7");
#define IC_VRING_WRITE 2U /* VIRTQ_DESC_F_WRITE: the device writes the buffer, instead of reading it */

/* 2.7.6: written by the driver. */
struct ic_vring_available {
    _Atomic(uint16_t) flags; /* 1, VIRTQ_AVAIL_F_NO_INTERRUPT: do not notify the driver */
    _Atomic(uint16_t) idx;
    uint16_t ring[]; /* numbers of descriptors */
};

/* 2.7.8: written by the device. */
struct ic_vring_used_element {
    uint32_t id;  /* number of the descriptor */
    uint32_t len; /* bytes that the device has written */
};
struct ic_vring_used {
    _Atomic(uint16_t) flags; /* 1, VIRTQ_USED_F_NO_NOTIFY: do not notify the device */
    _Atomic(uint16_t) idx;
    struct ic_vring_used_element ring[];
};
_Static_assert(sizeof(_Atomic(uint16_t)) == 2, "an index is two plain bytes");

/* Where the parts of a vring are. */
struct ic_vring {
    uint32_t num; /* "Queue Size": 1 to IC_VRING_MOST, a power of two */
    struct ic_vring_descriptor *descriptors;
    struct ic_vring_available *available;
    struct ic_vring_used *used;
};

/* A buffer that the driver has made available. */
struct ic_vring_buffer {
    uint32_t id;
    void *address; /* aligned to 8 */
    uint32_t bytes;
};

/* One end's own memory, which the other never sees. All members but `corrupt` belong to vring.c. */
struct ic_vring_end {
    struct ic_vring ring;
    struct ic_waiting waiting;
    uint16_t given; /* our own ring's idx */
    uint16_t taken; /* how far we are in the other's ring */
    uint16_t seen;  /* the other's idx, when we looked last */
    /* The other end has written what makes no sense: nothing gets through any more. Users set it for what they find in
     * the buffers. */
    bool corrupt;
    /* The device's: where buffers may lie, and what their flags must be. */
    uint64_t first;
    uint32_t bytes;
    uint16_t flags;
};

/* Bytes of a vring for so many buffers (2.7.2). */
uint32_t ic_vring_bytes(uint32_t num);

/* The vring that begins there; aligned to IC_VRING_ALIGN. All zero, it is an empty one: so it is to be made before
 * either end opens it. */
struct ic_vring ic_vring_at(void *memory, uint32_t num);

/* Each is called once, by its own end; the other may be open and at work already. */
void ic_vring_open_driver(struct ic_vring_end *driver, const struct ic_vring *ring, const struct ic_waiting *waiting);
/* Takes no buffer but those that lie in so many bytes at `memory`, and have these flags: 0 or IC_VRING_WRITE. */
void ic_vring_open_device(struct ic_vring_end *device, const struct ic_vring *ring, const struct ic_waiting *waiting,
                          const void *memory, uint32_t bytes, uint16_t flags);

/* ---- the driver's ---- */

/* Makes a buffer available that the device does not have. It has it from then on. `id` is below the vring's num. */
void ic_vring_make_available(struct ic_vring_end *driver, uint32_t id, const void *address, uint32_t bytes,
                             uint16_t flags);
/* Takes back the next buffer that the device has used, and how many bytes it says it wrote. False if there is none.
 * That it is one that the device had is not checked: if not, contents suffer, which are the users' to judge. */
bool ic_vring_take_used(struct ic_vring_end *driver, uint32_t *id, uint32_t *written);
/* The same, but waits for one. False if wait() has given up, or the device is corrupt. */
bool ic_vring_await_used(struct ic_vring_end *driver, uint32_t *id, uint32_t *written);

/* ---- the device's ---- */

/* Takes the next buffer that is available. False if there is none. */
bool ic_vring_take_available(struct ic_vring_end *device, struct ic_vring_buffer *buffer);
/* The same, but waits for one. False if wait() has given up, or the driver is corrupt. */
bool ic_vring_await_available(struct ic_vring_end *device, struct ic_vring_buffer *buffer);
/* Gives a buffer back of which so many bytes have been written. */
void ic_vring_give_back(struct ic_vring_end *device, uint32_t id, uint32_t written);

#endif
