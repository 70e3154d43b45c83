/* A transport: a way to move messages from a task on one core to a task on another core, or on the same core.
 *
 * A transport is one file with a `const struct ic_transport ic_transport_NAME`, and one line in transports.h. To add
 * yours, write that file, add the line to its group, and measure: `run message transport=yours`. You need to change
 * nothing else: every board that has the group builds the file and lists the transport, and the benchmark checks every
 * message for order, loss, duplication and corruption.
 *
 * A transport that needs only this header, C11 and port.h, such as a ring in shared memory, goes into this folder and
 * into the group PORTABLE, which all boards have. Any other transport goes into the subfolder and the group of its
 * kernel, system or board (transport/freertos, transport/posix, transport/rp2). To add a group, make a subfolder,
 * add the group to transports.h, and add a line to transports.c and to the build of each board that has the group.
 *
 * There are two ends, the sender and the receiver. Each end is opened, used and closed by its own task, on its own
 * core. The ends share nothing but the shared memory: they may run under different kernels, with different heaps and
 * addresses. A transport built on the objects of a kernel needs one kernel for both ends, and sets `one_kernel`. Only
 * one transport is open at a time, so a file may keep its state in static variables; but unless `one_kernel` is set,
 * each end may use only its own variables.
 *
 * The life of a transport, in this order:
 *
 *   sender's open, receiver's open   the receiver's open begins after the sender's has returned, and sees its writes
 *   messages                         send and receive, or the four zero-copy functions (loan, send_loan, receive_loan,
 *                                    release), concurrently at both ends
 *   the end of the run               ic_transport_over() becomes true; a call that is waiting returns within 2.5 s
 *   sender's close, receiver's close the receiver's close begins after the sender's has returned. The receiver may be
 *                                    inside a call while the sender closes, so the receiver's close releases the
 *                                    resources that both ends use
 *
 * The sender's writes to a message before it was sent are visible to the receiver of the message. */
#ifndef IC_TRANSPORT_H
#define IC_TRANSPORT_H

/* Must come first: with clang, newlib's stdatomic.h relies on stdint.h. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "port.h"

/* Alignment of the shared memory, in bytes. Room for a message in this memory is aligned to 4 bytes or more. */
#define IC_TRANSPORT_ALIGN 64U

/* Timeout, in milliseconds, of a kernel call that waits. After a timeout the transport checks ic_transport_over(). In a
 * correct run no wait takes that long, so a timeout is never part of a measured time. */
#define IC_TRANSPORT_SLICE_MS 2000U

enum ic_transport_role { IC_TRANSPORT_SENDER, IC_TRANSPORT_RECEIVER };

/* Common settings of both ends */
struct ic_transport_setup {
    uint32_t from; /* core of the sender */
    uint32_t to;   /* core of the receiver; may be the same */
    uint32_t size; /* bytes of each message, at least 1 */
    /* Shared memory for messages: at the same address for both ends, aligned to IC_TRANSPORT_ALIGN, with undefined
     * contents at first. A transport uses as much of it as it can, and as little other memory as possible; a transport
     * with its buffer elsewhere, for example in Linux's kernel, does not use this memory and states so in its
     * summary. */
    void *memory;
    uint32_t memory_bytes;
    /* Whether a waiting end polls, instead of sleeping until it is woken */
    bool polling;
    /* The `unit` of the transport (below) */
    uint32_t unit;
};

/* One end. The caller creates it before open() and does not move it until after close(). */
struct ic_transport_end {
    const struct ic_transport_setup *setup;
    enum ic_transport_role role;
    /* An end calls `wake` after progress that the other end may be waiting for (a message, room), and `wait` when it
     * can do nothing until the other end makes progress. A wake before the wait is not lost: the wait then returns at
     * once. A wait also returns when the run is over. A wait may return without progress, for instance because wakes
     * are counted, so check again. Writes before a wake are visible after the wait that it ends. Under one kernel these
     * functions are port_notify() and port_notify_take(); between kernels they use a doorbell. A transport made of a
     * kernel's own objects needs neither function, and a polling end calls neither. */
    void (*wake)(struct ic_transport_end *end);
    void (*wait)(struct ic_transport_end *end);
    /* Becomes true when no more messages will follow; read it with ic_transport_over(). */
    const atomic_bool *over;
    /* The task of the other end if both ends are under one kernel, else NULL. From before open() until after close(),
     * these two tasks are notified only by the transport, and by the caller when the run is over. */
    port_task_t *other;
};

struct ic_transport {
    /* Name, as a user types it: lower case, digits and hyphens. A transport for one of several devices adds a colon and
     * the device's path. */
    const char *name;
    /* One line: what the transport is made of, how often it copies a message, where messages are stored */
    const char *summary;
    /* Zero-copy: messages are written and read in place, by loan, send_loan, receive_loan and release. If false, send
     * and receive copy the message out of the sender's memory and into the receiver's. */
    bool zero_copy;
    /* Both ends must be under one kernel. */
    bool one_kernel;

    /* Returns NULL if the transport can be used with this setup, whatever the size; otherwise the reason why it cannot,
     * as the end of a sentence ("it goes from core 0 to core 1 only"). If this pointer itself is NULL, the transport
     * can always be used. Any task may call refuses() and capacity() at any time. */
    const char *(*refuses)(const struct ic_transport_setup *setup);
    /* Returns the size in bytes of the largest message that the transport could move with this setup, whatever
     * setup->size is; 0 if the memory is too small for one byte. */
    uint32_t (*capacity)(const struct ic_transport_setup *setup);

    /* Prepares one end. setup->size is at most the capacity. Returns false if the platform lacks a resource; open() has
     * then released everything, and close() is not called for this end. If the receiver's open() fails, close() is
     * called for the sender only, and releases the resources of both. */
    bool (*open)(struct ic_transport_end *end);
    /* Releases the end's resources. */
    void (*close)(struct ic_transport_end *end);

    /* Copying: sends a message of setup->size bytes, aligned to 4 bytes, and waits for room as long as necessary.
     * Returns when the sender may write to `message` again; false if the run was over before the message was sent. */
    bool (*send)(struct ic_transport_end *end, const void *message);
    /* Copying: waits for the next message and copies it to `message`, which has room for setup->size bytes and is
     * aligned to 4. Returns the size of the message in bytes, at most setup->size; a transport without message
     * boundaries always returns setup->size. 0 if the run was over before a message came. */
    uint32_t (*receive)(struct ic_transport_end *end, void *message);

    /* Zero-copy: lends the sender room for a message in shared memory, aligned to 4, and waits for the room as long as
     * necessary. There is one loan at a time. NULL if the run was over before there was room. */
    void *(*loan)(struct ic_transport_end *end);
    /* Zero-copy: sends the message in the current loan. False if the run was over before the message was sent. */
    bool (*send_loan)(struct ic_transport_end *end);
    /* Zero-copy: waits for the next message and returns its address, which is valid until release(); *size is its
     * number of bytes. The receiver has one message at a time. NULL if the run was over before a message came. */
    const void *(*receive_loan)(struct ic_transport_end *end, uint32_t *size);
    /* Zero-copy: gives the room of the received message back to the sender. */
    void (*release)(struct ic_transport_end *end);

    /* Messages go to another program and back (an echo): the measured times are round trips, and the results call them
     * so. */
    bool round_trip;
    /* Index of this transport, from 0, among transports with the same functions (one for each device) */
    uint32_t unit;
    /* Returns why an end could not be opened, or why a call gave up early, as the end of a sentence; NULL if unknown.
     * The pointer itself may be NULL. Call it while neither end is inside a call; the text is valid until the sender's
     * next open(). */
    const char *(*trouble)(void);
};

/* Whether the run is over. Check it while waiting; the check is cheap. */
static inline bool ic_transport_over(const struct ic_transport_end *end) {
    return atomic_load_explicit(end->over, memory_order_relaxed);
}

/* Supplied by the platform: returns the transport with this index, from 0; NULL beyond the last. There is at least
 * one. */
const struct ic_transport *port_transport(uint32_t index);

#endif
