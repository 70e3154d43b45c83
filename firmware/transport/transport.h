/* A transport: a way to move messages from a task on one core to a task on another one, or on the same.
 *
 * A transport is one file with a `const struct ic_transport ic_transport_NAME`, and one line in transports.h. To add
 * yours, write that file, add the line to its group, and measure: `run message transport=yours`. Nothing else changes:
 * every board that has the group builds the file and lists the transport, and the benchmark checks every message for
 * order, loss, duplication and corruption.
 *
 * A transport that needs only this header, C11 and port.h (a ring in shared memory) belongs directly into this folder,
 * in the group PORTABLE, which all boards have; any other into the subfolder and group of its kernel, system or board
 * (transport/freertos, transport/posix, transport/rp2040). A new group is a subfolder, its lines in transports.h, and a
 * line in transports.c and the build of each board that has it.
 *
 * There are two ends, the sender and the receiver. Each is opened, used and closed by its own task, on its own core.
 * The ends need not share a kernel, a heap, or any address except the shared memory; a transport made of a kernel's
 * objects does, and sets `one_kernel`. One transport is open at a time, so a file may keep its state in static
 * variables; unless `one_kernel` is set, the sender's must not be used by the receiver, or the reverse.
 *
 * The life of a transport, in this order:
 *
 *   sender's open, receiver's open   the second begins after the first has returned, and sees its writes
 *   messages                         send and receive, or the four functions of a loan, concurrently at both ends
 *   `over` becomes true              a call that waits returns at once or within 2.5 s
 *   sender's close, receiver's close the second begins after the first has returned; the receiver may still be inside
 *                                    a call while the sender closes: the receiver releases resources that both use
 *
 * The sender's writes to a message before it was sent are visible to the receiver of the message. */
#ifndef IC_TRANSPORT_H
#define IC_TRANSPORT_H

/* First: newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "port.h"

/* Alignment of the shared memory; loans are aligned to 4 or more */
#define IC_TRANSPORT_ALIGN 64U

/* Timeout of a kernel call that waits, in milliseconds, after which the transport checks whether everything is over. In
 * a correct run no wait takes that long: the kernel's timeouts are never measured. */
#define IC_TRANSPORT_SLICE_MS 2000U

enum ic_transport_role { IC_TRANSPORT_SENDER, IC_TRANSPORT_RECEIVER };

/* Common settings of both ends */
struct ic_transport_setup {
    uint32_t from; /* core of the sender */
    uint32_t to;   /* core of the receiver; may be the same */
    uint32_t size; /* bytes of each message, at least 1 */
    /* Shared memory for messages: at the same address for both ends, aligned to IC_TRANSPORT_ALIGN, with undefined
     * contents at first. A transport uses as much of it as it can, and as little other memory as possible; one with its
     * buffer elsewhere (in Linux's kernel, for example) does not use it and states so in its summary. */
    void *memory;
    uint32_t memory_bytes;
    /* A waiting end polls, instead of sleeping until it is woken. */
    bool polling;
    /* The transport's own `unit` */
    uint32_t unit;
};

/* One end. The user of the transport creates it before open and does not move it until after close. */
struct ic_transport_end {
    const struct ic_transport_setup *setup;
    enum ic_transport_role role;
    /* Wake-up of the other end: an end calls `wake` after progress that the other may wait for (a message, room), and
     * `wait` if it can do nothing before the other makes progress. A wake before the wait is not lost: that wait
     * returns at once. A wait may return without progress, so check again; it returns when everything is over. Wakes
     * may be counted, so an end must tolerate spurious ones. Both order memory: writes before the wake are visible
     * after the wait. With one kernel these are port_notify() and port_notify_take(), between kernels a doorbell. A
     * kernel's own objects need neither, and a polling end calls neither. */
    void (*wake)(struct ic_transport_end *end);
    void (*wait)(struct ic_transport_end *end);
    /* No more messages: see ic_transport_over(). */
    const atomic_bool *over;
    /* The task of the other end if one kernel has both, else NULL. From before open until after close, no other code
     * notifies either task. */
    port_task_t *other;
};

struct ic_transport {
    /* Name, as a user types it: lower case, digits and hyphens; for one of several devices, followed by a colon and the
     * device's path */
    const char *name;
    /* One line: what it is made of, how often it copies a message, where messages are stored */
    const char *summary;
    /* Zero-copy: messages are written and read in place, by loan, send_loan, receive_loan and release. If false, send
     * and receive copy the message out of the sender's memory and into the receiver's. */
    bool zero_copy;
    /* Both ends must be under one kernel. */
    bool one_kernel;

    /* Returns why it cannot be used with this setup, whatever the size, as a clause ("it goes from core 0 to core 1
     * only"); NULL if it can. May be NULL: always usable. Like capacity, any task may call it at any time. */
    const char *(*refuses)(const struct ic_transport_setup *setup);
    /* Returns the bytes of the largest message that it could move with this setup, whatever setup->size is; 0 if the
     * memory is too small for one byte. */
    uint32_t (*capacity)(const struct ic_transport_setup *setup);

    /* Prepares one end. setup->size is at most the capacity. Returns false if the platform lacks a resource; it has
     * then released everything, and the end is not closed. If the receiver's open fails, only the sender's end is
     * closed, and releases the resources of both. */
    bool (*open)(struct ic_transport_end *end);
    /* Releases the end's resources. */
    void (*close)(struct ic_transport_end *end);

    /* Copying. Sends a message of setup->size bytes, and waits for room as long as necessary. Returns when the sender
     * may write to `message` again, which is aligned to 4. False if everything was over before. */
    bool (*send)(struct ic_transport_end *end, const void *message);
    /* Waits for the next message and copies it to `message`, which has room for setup->size bytes and is aligned to 4.
     * Returns the bytes of the message, at most setup->size; without message boundaries, setup->size. 0 if everything
     * was over before. */
    uint32_t (*receive)(struct ic_transport_end *end, void *message);

    /* Zero-copy. Gives the sender room for a message in shared memory, aligned to 4, and waits for it as long as
     * necessary. One at a time. NULL if everything was over before. */
    void *(*loan)(struct ic_transport_end *end);
    /* Sends the last loan. False if everything was over before. */
    bool (*send_loan)(struct ic_transport_end *end);
    /* Waits for the next message and returns its address, valid until it is released; *size is its number of bytes. One
     * at a time. NULL if everything was over before. */
    const void *(*receive_loan)(struct ic_transport_end *end, uint32_t *size);
    /* Returns the room of the last received message to the sender. */
    void (*release)(struct ic_transport_end *end);

    /* Messages go to a third party and back (an echo): no time is one-way, and none is named so. */
    bool round_trip;
    /* Index among transports that share these functions */
    uint32_t unit;
    /* Returns why an end could not be opened, or why a call gave up early, as a clause; NULL if unknown. May be NULL.
     * Call it while neither end is inside a call; valid until the sender's next open. */
    const char *(*trouble)(void);
};

/* Whether everything is over; check it while waiting. Cheap. */
static inline bool ic_transport_over(const struct ic_transport_end *end) {
    return atomic_load_explicit(end->over, memory_order_relaxed);
}

/* Supplied by the platform: the transport with this index, from 0; NULL beyond the last. There is at least one. */
const struct ic_transport *port_transport(uint32_t index);

#endif
