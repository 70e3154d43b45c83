/* A split virtqueue ("vring"), as RPMsg and other virtio devices use it, with buffers of one descriptor each.
 *
 * The layout in shared memory is that of the virtio specification, version 1.2, section 2.7 "Split Virtqueues" (2.6 in
 * version 1.1): a table of descriptors (2.7.5), a ring of descriptors that the driver makes available to the device
 * (2.7.6), and a ring of descriptors that the device has used and returns (2.7.8), in the order of 2.7.2, as remoteproc
 * and OpenAMP place them. All words are little-endian, as the specification demands and as all supported processors
 * are. Not implemented are the features EVENT_IDX, INDIRECT_DESC and IN_ORDER, and chains of descriptors: RPMsg does
 * not need them.
 *
 * The driver allocates buffers and makes them available; the device takes and returns them. A sleeping end is notified
 * as in 2.7.7 and 2.7.10: in the ring that it writes, each end has a flag with which it suppresses notifications to
 * itself. An end that is about to sleep clears its flag and then checks for progress again (2.7.14). An end that has
 * made progress executes a barrier and then reads the other end's flag (2.7.13, step 6). At both ends a fence is
 * between the store and the load, so at least one end sees the other end's store and no wake-up is lost (C11 7.17.4:
 * all sequentially consistent fences have a single order). As in all of virtio, an end may be notified more than once
 * while it wakes up.
 *
 * Each word in shared memory is written by one end only, so atomic loads and stores are sufficient. Neither end trusts
 * shared memory: indexes, numbers of buffers, addresses and lengths are read once and checked before use. Invalid data
 * end the connection. */
#ifndef IC_VRING_H
#define IC_VRING_H

/* Must come first: with clang, newlib's stdatomic.h relies on stdint.h. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "waiting.h"

/* Largest number of buffers, as in Linux for each direction (drivers/rpmsg/virtio_rpmsg_bus.c). The number of buffers
 * must be a power of two. */
#define IC_VRING_MOST 256U
/* "Queue Align" of virtio 1.2, 2.7.2, in bytes: it keeps the data of driver and device on different cache lines. */
#define IC_VRING_ALIGN 64U

/* The descriptor of a buffer (virtio 1.2, 2.7.5) */
struct ic_vring_descriptor {
    uint64_t addr; /* address of the buffer, the same for both ends */
    uint32_t len;
    uint16_t flags;
    uint16_t next; /* not used */
};
_Static_assert(sizeof(struct ic_vring_descriptor) == 16, "virtio 1.2, 2.7");
#define IC_VRING_WRITE 2U /* VIRTQ_DESC_F_WRITE: the device writes the buffer, instead of reading it */

/* The ring of available buffers (virtio 1.2, 2.7.6), written by the driver */
struct ic_vring_available {
    _Atomic(uint16_t) flags; /* 1, VIRTQ_AVAIL_F_NO_INTERRUPT: do not notify the driver */
    _Atomic(uint16_t) idx;
    uint16_t ring[]; /* numbers of descriptors */
};

/* The ring of used buffers (virtio 1.2, 2.7.8), written by the device */
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

/* The parts of a vring */
struct ic_vring {
    uint32_t num; /* "Queue Size": 1 to IC_VRING_MOST, a power of two */
    struct ic_vring_descriptor *descriptors;
    struct ic_vring_available *available;
    struct ic_vring_used *used;
};

/* A buffer that the driver has made available */
struct ic_vring_buffer {
    uint32_t id;
    void *address; /* aligned to 8 bytes */
    uint32_t bytes;
};

/* Private memory of one end. Only vring.c accesses the members, except `corrupt`. */
struct ic_vring_end {
    struct ic_vring ring;
    struct ic_waiting waiting;
    uint16_t given; /* this end's own idx */
    uint16_t taken; /* position in the other end's ring */
    uint16_t seen;  /* the other end's idx, when last read */
    /* The other end has written invalid data: no more messages get through. The caller also sets it if the data in a
     * buffer are invalid. */
    bool corrupt;
    /* Device only: the memory in which buffers must be, and the flags that their descriptors must have */
    uint64_t first;
    uint32_t bytes;
    uint16_t flags;
};

/* Returns the size in bytes of a vring for `num` buffers (virtio 1.2, 2.7.2). */
uint32_t ic_vring_bytes(uint32_t num);

/* Returns the vring at `memory`, which is aligned to IC_VRING_ALIGN. Memory of all zeros is an empty vring: clear it
 * before either end opens the vring. */
struct ic_vring ic_vring_at(void *memory, uint32_t num);

/* Each end calls its own open function once. The other end may be open and active already. */
void ic_vring_open_driver(struct ic_vring_end *driver, const struct ic_vring *ring, const struct ic_waiting *waiting);
/* The device accepts only buffers inside the `bytes` bytes at `memory`, whose descriptors have these flags: 0 or
 * IC_VRING_WRITE. */
void ic_vring_open_device(struct ic_vring_end *device, const struct ic_vring *ring, const struct ic_waiting *waiting,
                          const void *memory, uint32_t bytes, uint16_t flags);

/* ---- functions of the driver ---- */

/* Makes a buffer available to the device, which must not own the buffer already and owns it from then on. `id` is less
 * than the vring's num. */
void ic_vring_make_available(struct ic_vring_end *driver, uint32_t id, const void *address, uint32_t bytes,
                             uint16_t flags);
/* Takes back the next used buffer; `written` is the number of bytes that the device says it has written. False if there
 * is none. Does not check that the device owned the buffer. If it did not, messages are corrupted; the caller must
 * check their contents anyway. */
bool ic_vring_take_used(struct ic_vring_end *driver, uint32_t *id, uint32_t *written);
/* Like ic_vring_take_used(), but waits. False if wait() (struct ic_waiting) has given up, or if the device has written
 * invalid data. */
bool ic_vring_await_used(struct ic_vring_end *driver, uint32_t *id, uint32_t *written);

/* ---- functions of the device ---- */

/* Takes the next available buffer. False if there is none. */
bool ic_vring_take_available(struct ic_vring_end *device, struct ic_vring_buffer *buffer);
/* Like ic_vring_take_available(), but waits. False if wait() (struct ic_waiting) has given up, or if the driver has
 * written invalid data. */
bool ic_vring_await_available(struct ic_vring_end *device, struct ic_vring_buffer *buffer);
/* Returns a buffer to the driver, after `written` bytes have been written to it. */
void ic_vring_give_back(struct ic_vring_end *device, uint32_t id, uint32_t written);

#endif
