/* The transports `rpmsg` and `rpmsg-zero-copy`: RPMsg over virtio, as Linux and OpenAMP use it between the cores of a
 * chip.
 *
 * Shared memory holds two vrings (vring.h) of equal size, and the buffers. One end is the host, virtio's driver, which
 * allocates the buffers. The other end is the remote, virtio's device. The first vring carries messages from the
 * remote: the host makes empty buffers available, and the remote fills them. The second vring carries messages from the
 * host: the host makes full buffers available, and the remote returns them empty. (Linux has the same order: its
 * receiving vring is first, drivers/rpmsg/virtio_rpmsg_bus.c.) The host is the end on the core with the lower number,
 * or the sender if both ends are on one core. A transport moves messages in one direction only, so only one of the two
 * vrings is in use; it gets all buffers.
 *
 * A buffer holds a header of 16 bytes and a message. The buffers of Linux and OpenAMP have 512 bytes by default. Here a
 * buffer is as large as the setup's messages need, rounded up to whole cache lines. There are at most 256 buffers, as
 * in Linux.
 *
 * The steps that create a channel are left out: the resource table, the negotiation of features, the announcement of
 * names. Both ends know the addresses of both endpoints in advance.
 *
 * `rpmsg` copies each message in and out (OpenAMP: rpmsg_send, and a callback that copies). `rpmsg-zero-copy` writes
 * and reads the message in its buffer (rpmsg_get_tx_payload_buffer, rpmsg_send_nocopy, rpmsg_hold_rx_buffer,
 * rpmsg_release_rx_buffer).
 *
 * If an end finds invalid data from the other end, in the vring or in a header, it stops waiting and moves no more
 * messages. */
#include <string.h>

#include "copy.h"
#include "transports.h"
#include "vring.h"

/* RPMsg's header, in front of each message (Linux: include/linux/rpmsg/virtio_rpmsg.h, struct rpmsg_hdr; OpenAMP's
 * documentation, "RPMsg Messaging Protocol", 1.3 "Transport Layer - RPMsg"). */
struct ic_rpmsg_header {
    uint32_t src; /* address of the sending endpoint */
    uint32_t dst; /* address of the receiving endpoint */
    uint32_t reserved;
    uint16_t len; /* bytes of the message after the header */
    uint16_t flags;
};

/* Addresses of the two endpoints: the first two that Linux assigns. Lower addresses are reserved for well-known
 * services (RPMSG_RESERVED_ADDRESSES). */
#define IC_RPMSG_HOST 1024U
#define IC_RPMSG_REMOTE 1025U

#define HEADER_BYTES ((uint32_t)sizeof(struct ic_rpmsg_header))
_Static_assert(sizeof(struct ic_rpmsg_header) == 16, "struct rpmsg_hdr");

/* Index of a vring, by its direction: from the remote, or to the remote */
enum { FROM_REMOTE, TO_REMOTE, VRINGS };

/* Each end's own state: */
struct rpmsg_end {
    struct ic_vring_end vring;
    bool host;
    uint8_t *buffers;              /* where the buffers are */
    uint32_t stride;               /* bytes of each buffer */
    uint32_t count;                /* number of buffers */
    uint32_t fresh;                /* host only: the first buffer that has never been sent */
    struct ic_vring_buffer buffer; /* the buffer that is being written or read */
};

static struct rpmsg_end sender, receiver;

/* ---- layout ---- */

/* Layout of the shared memory */
struct division {
    uint32_t num;    /* entries of each vring */
    uint32_t rings;  /* bytes of both vrings */
    uint32_t count;  /* number of buffers, at most num */
    uint32_t stride; /* bytes of each buffer */
};

static uint32_t stride_of(uint32_t size) {
    return (HEADER_BYTES + size + IC_TRANSPORT_ALIGN - 1U) & ~(IC_TRANSPORT_ALIGN - 1U);
}

/* Divides the memory into as many buffers as possible; the count is 0 if there is too little memory. */
static struct division divide(const struct ic_transport_setup *setup) {
    struct division best = {.stride = stride_of(setup->size)};
    for (uint32_t num = 1; num <= IC_VRING_MOST; num *= 2U) {
        uint32_t rings = VRINGS * ic_vring_bytes(num);
        uint32_t fit = rings < setup->memory_bytes ? (setup->memory_bytes - rings) / best.stride : 0;
        uint32_t count = fit < num ? fit : num;
        if (count > best.count) {
            best.num = num;
            best.rings = rings;
            best.count = count;
        }
    }
    return best;
}

/* Returns the size of the largest message, with all memory as one buffer. The size must fit into the 16 bits of
 * `len`. */
static uint32_t capacity(const struct ic_transport_setup *setup) {
    uint32_t rings = VRINGS * ic_vring_bytes(1);
    if (setup->memory_bytes < rings + IC_TRANSPORT_ALIGN) {
        return 0;
    }
    uint32_t bytes = ((setup->memory_bytes - rings) & ~(IC_TRANSPORT_ALIGN - 1U)) - HEADER_BYTES;
    return bytes < UINT16_MAX ? bytes : UINT16_MAX;
}

/* ---- opening ---- */

static bool host_sends(const struct ic_transport_setup *setup) { return setup->from <= setup->to; }

static uint8_t *buffer_at(const struct rpmsg_end *own, uint32_t id) { return own->buffers + (size_t)id * own->stride; }

/* If the host is the receiver, it first makes all buffers available for the remote to fill. */
static void offer_all(struct rpmsg_end *own) {
    for (uint32_t id = 0; id < own->count; id++) {
        ic_vring_make_available(&own->vring, id, buffer_at(own, id), own->stride, IC_VRING_WRITE);
    }
}

static bool open_end(struct ic_transport_end *end) {
    const struct ic_transport_setup *setup = end->setup;
    const struct division division = divide(setup);
    const struct ic_waiting waiting = ic_waiting_of(end);
    bool sends = end->role == IC_TRANSPORT_SENDER;
    struct rpmsg_end *own = sends ? &sender : &receiver;
    uint8_t *memory = setup->memory;
    size_t which = host_sends(setup) ? TO_REMOTE : FROM_REMOTE;
    struct ic_vring ring = ic_vring_at(memory + which * (division.rings / VRINGS), division.num);
    *own = (struct rpmsg_end){.host = sends == host_sends(setup),
                              .buffers = memory + division.rings,
                              .stride = division.stride,
                              .count = division.count};
    if (sends) {
        memset(memory, 0, division.rings);
    }
    if (own->host) {
        ic_vring_open_driver(&own->vring, &ring, &waiting);
    } else {
        ic_vring_open_device(&own->vring, &ring, &waiting, own->buffers, division.count * division.stride,
                             sends ? IC_VRING_WRITE : 0U);
    }
    if (own->host && !sends) {
        offer_all(own);
    }
    return true;
}

static void close_end(struct ic_transport_end *end) { (void)end; }

/* ---- buffers ---- */

/* Each function that takes a buffer returns false if the run is over, or if the other end has written invalid data. */

static bool refuse(struct rpmsg_end *own) {
    own->vring.corrupt = true;
    return false;
}

/* The host finds a returned buffer by the buffer's number. It does not read the descriptor, which is for the remote. */
static bool take_used(struct rpmsg_end *own) {
    struct ic_vring_buffer *buffer = &own->buffer;
    if (!ic_vring_await_used(&own->vring, &buffer->id, &buffer->bytes)) {
        return false;
    }
    if (buffer->id >= own->count || buffer->bytes > own->stride) {
        return refuse(own);
    }
    buffer->address = buffer_at(own, buffer->id);
    return true;
}

static bool take_empty(struct rpmsg_end *own, uint32_t size) {
    struct ic_vring_buffer *buffer = &own->buffer;
    if (!own->host) {
        return ic_vring_await_available(&own->vring, buffer) && (buffer->bytes >= HEADER_BYTES + size || refuse(own));
    }
    if (own->fresh < own->count) {
        buffer->id = own->fresh++;
        buffer->address = buffer_at(own, buffer->id);
        return true;
    }
    return take_used(own);
}

static void send_full(struct rpmsg_end *own, uint32_t size) {
    struct ic_vring_buffer *buffer = &own->buffer;
    struct ic_rpmsg_header *header = buffer->address;
    *header = (struct ic_rpmsg_header){.src = own->host ? IC_RPMSG_HOST : IC_RPMSG_REMOTE,
                                       .dst = own->host ? IC_RPMSG_REMOTE : IC_RPMSG_HOST,
                                       .len = (uint16_t)size};
    if (own->host) {
        ic_vring_make_available(&own->vring, buffer->id, header, HEADER_BYTES + size, 0);
    } else {
        ic_vring_give_back(&own->vring, buffer->id, HEADER_BYTES + size);
    }
}

/* Waits for the next message and checks its header; *size is the length of the message. */
static bool take_full(struct rpmsg_end *own, uint32_t *size) {
    struct ic_vring_buffer *buffer = &own->buffer;
    if (!(own->host ? take_used(own) : ic_vring_await_available(&own->vring, buffer))) {
        return false;
    }
    if (buffer->bytes < HEADER_BYTES) {
        return refuse(own);
    }
    const volatile struct ic_rpmsg_header *header = buffer->address; /* volatile: each field is read only once */
    uint32_t len = header->len;
    if (len > buffer->bytes - HEADER_BYTES || header->dst != (own->host ? IC_RPMSG_HOST : IC_RPMSG_REMOTE)) {
        return refuse(own);
    }
    *size = len;
    return true;
}

static void give_empty(struct rpmsg_end *own) {
    const struct ic_vring_buffer *buffer = &own->buffer;
    if (own->host) {
        ic_vring_make_available(&own->vring, buffer->id, buffer->address, own->stride, IC_VRING_WRITE);
    } else {
        ic_vring_give_back(&own->vring, buffer->id, 0);
    }
}

static void *message(const struct rpmsg_end *own) { return (uint8_t *)own->buffer.address + HEADER_BYTES; }

/* ---- in place ---- */

static void *loan(struct ic_transport_end *end) {
    return take_empty(&sender, end->setup->size) ? message(&sender) : NULL;
}

static bool send_loan(struct ic_transport_end *end) {
    send_full(&sender, end->setup->size);
    return true;
}

static const void *receive_loan(struct ic_transport_end *end, uint32_t *size) {
    (void)end;
    return take_full(&receiver, size) ? message(&receiver) : NULL;
}

static void release(struct ic_transport_end *end) {
    (void)end;
    give_empty(&receiver);
}

const struct ic_transport ic_transport_rpmsg_zero_copy = {
    .name = "rpmsg-zero-copy",
    .summary = "RPMsg over virtio rings in shared memory; messages are written and read in place, not copied",
    .zero_copy = true,
    .capacity = capacity,
    .open = open_end,
    .close = close_end,
    .loan = loan,
    .send_loan = send_loan,
    .receive_loan = receive_loan,
    .release = release,
};

/* ---- copying ---- */

static bool send(struct ic_transport_end *end, const void *from) {
    uint32_t size = end->setup->size;
    if (!take_empty(&sender, size)) {
        return false;
    }
    ic_copy(message(&sender), from, size);
    send_full(&sender, size);
    return true;
}

static uint32_t receive(struct ic_transport_end *end, void *to) {
    uint32_t size = end->setup->size;
    uint32_t found;
    if (!take_full(&receiver, &found)) {
        return 0;
    }
    found = found < size ? found : size;
    ic_copy(to, message(&receiver), found);
    give_empty(&receiver);
    return found;
}

const struct ic_transport ic_transport_rpmsg = {
    .name = "rpmsg",
    .summary = "RPMsg over virtio rings in shared memory; copied in and out",
    .capacity = capacity,
    .open = open_end,
    .close = close_end,
    .send = send,
    .receive = receive,
};
