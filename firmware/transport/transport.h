/* A transport: a way to move messages from a task on one core to a task on another one, or on the same.
 *
 * One transport is one file with one `const struct ic_transport ic_transport_NAME` and one line in transports.h, the
 * list of them all. To add yours (a protocol of your own), write that file, add the line to the group where it belongs,
 * and measure: `run message transport=yours`. Nothing else has to be changed: every board that has the group builds the
 * file and lists the transport, and the benchmark checks every message that yours delivers for order, loss, duplication
 * and corruption.
 *
 * Where it belongs: directly in this folder, in the group PORTABLE, which all boards have, if it needs nothing but this
 * header, C11 and port.h (a ring in shared memory); otherwise in the subfolder and group of the kernel, system or board
 * that it is made of (transport/freertos, transport/posix, transport/rp2040). A new group is a subfolder, its lines in
 * transports.h, and a line in transports.c and the build of each board that has it.
 *
 * There are two ends, the sender and the receiver. Each is opened, used and closed by one task of its own, on its own
 * core. Nothing here assumes that the two share a kernel, a heap, or the address of anything but the shared memory; a
 * transport that is made of a kernel's objects does, and says `one_kernel`. One transport is open at a time, so a file
 * may keep its state in static variables; where `one_kernel` is false, those of the sender must not be used by the
 * receiver, nor the other way round.
 *
 * The life of a transport, in this order:
 *
 *   sender's open, receiver's open   the second begins after the first has returned, and sees what that has written
 *   messages                         send and receive, or the four functions of a loan, at the same time at both ends
 *   `over` becomes true              if an end is inside a call that waits, it returns at once or within 2.5 s
 *   sender's close, receiver's close the second begins after the first has returned; the receiver may still be inside
 *                                    a call while the sender closes: what both use is given back by the receiver
 *
 * What the sender wrote into a message before it sent it is visible to whom the message is delivered. */
#ifndef IC_TRANSPORT_H
#define IC_TRANSPORT_H

/* First, as newlib's stdatomic.h relies on it with clang. */
#include <stdint.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "port.h"

/* Alignment of the shared memory, and of what is loaned in it at least to 4. */
#define IC_TRANSPORT_ALIGN 64U

/* For how long a call of a kernel should wait at a time before the transport looks whether all is over, in
 * milliseconds. Where nothing is wrong, no wait takes that long: what a kernel does at the end of it is never measured.
 */
#define IC_TRANSPORT_SLICE_MS 2000U

enum ic_transport_role { IC_TRANSPORT_SENDER, IC_TRANSPORT_RECEIVER };

/* What both ends are told alike. */
struct ic_transport_setup {
    uint32_t from; /* core of the sender */
    uint32_t to;   /* core of the receiver; may be the same */
    uint32_t size; /* bytes of each message, at least 1 */
    /* Shared memory for what is under way: at the same address for both, aligned to IC_TRANSPORT_ALIGN, with any
     * contents at first. A transport uses as much of it as it can make use of, and of other memory only as little as
     * it must; one whose buffer lies elsewhere (in Linux' kernel, say) leaves it alone and says so in its summary. */
    void *memory;
    uint32_t memory_bytes;
    /* An end that has to wait looks again and again, instead of sleeping until it is woken. */
    bool polling;
    /* The transport's own `unit`. */
    uint32_t unit;
};

/* One end. Made by whoever uses the transport, before open; stays where it is until after close. */
struct ic_transport_end {
    const struct ic_transport_setup *setup;
    enum ic_transport_role role;
    /* How one end wakes the other: `wake` is called by an end after progress that the other may wait for (a message
     * put, room made), `wait` by an end that has nothing to do before the other makes progress. A wake that comes
     * before the wait is not lost: that wait returns at once. A wait may return without progress, so look again; it
     * returns when all is over. Wakes may be counted, so who is woken once more than there was progress must only look
     * in vain. Both order memory: what was written before the wake is visible after the wait. By one kernel these are
     * port_notify() and port_notify_take(), between kernels a doorbell. A kernel's own objects need neither, and an end
     * that polls calls neither. */
    void (*wake)(struct ic_transport_end *end);
    void (*wait)(struct ic_transport_end *end);
    /* Nothing more will be sent or received: see ic_transport_over(). */
    const atomic_bool *over;
    /* The task of the other end if one kernel has both, else NULL. Neither it nor the own task is notified by anybody
     * else, from before open until after close. */
    port_task_t *other;
};

struct ic_transport {
    /* What a user types. Lower case, digits and hyphens; of one that is there for each of several devices, a colon and
     * the device's path behind these. */
    const char *name;
    /* One line: what it is made of, how often it copies a message, where it lies meanwhile. */
    const char *summary;
    /* Messages are produced and read in place: loan, send_loan, receive_loan and release are there. If false send and
     * receive are there: the message is copied out of the sender's memory and into the receiver's. */
    bool zero_copy;
    /* Both ends must be under one kernel. */
    bool one_kernel;

    /* Why it cannot be used with this setup whatever the size is, as a clause ("it leads from core 0 to core 1 only");
     * NULL if it can. May itself be NULL: always. Like capacity it may be called at any time, by any task. */
    const char *(*refuses)(const struct ic_transport_setup *setup);
    /* Bytes of the largest messages that it could move with this setup, whatever setup->size is; 0 if there is too
     * little memory even for one byte. */
    uint32_t (*capacity)(const struct ic_transport_setup *setup);

    /* Prepares one end. setup->size is at most the capacity. False if the platform has no resource left for it. What
     * has been prepared until then must have been given back: an end that could not be opened is not closed. If the
     * receiver's open fails, the sender's end is closed alone: then it gives back what both use. */
    bool (*open)(struct ic_transport_end *end);
    /* Gives back what the end has. */
    void (*close)(struct ic_transport_end *end);

    /* Copying. Sends a message of setup->size bytes, waiting for room as long as it takes. Returns when the sender may
     * write to `message` again, which is aligned to 4. False if all was over before. */
    bool (*send)(struct ic_transport_end *end, const void *message);
    /* Waits for the next message and copies it to `message`, which has room for setup->size bytes and is aligned to 4.
     * Returns how many bytes the message had, or as many as there was room for; where the transport knows no borders
     * between messages, setup->size. 0 if all was over before. */
    uint32_t (*receive)(struct ic_transport_end *end, void *message);

    /* Zero-copy. Gives the sender room for a message in shared memory, waiting for it as long as it takes; aligned
     * to 4. One at a time. NULL if all was over before. */
    void *(*loan)(struct ic_transport_end *end);
    /* Sends what was loaned last. False if all was over before. */
    bool (*send_loan)(struct ic_transport_end *end);
    /* Waits for the next message and returns where it lies until it is released; *size is how many bytes it has. One
     * at a time. NULL if all was over before. */
    const void *(*receive_loan)(struct ic_transport_end *end, uint32_t *size);
    /* Gives the room of the message that was received last back to the sender. */
    void (*release)(struct ic_transport_end *end);

    /* Both ends are on this side of a third party that sends back what it gets: what is received has gone there and
     * back. Then no time is one way, and none is called so. */
    bool round_trip;
    /* Which of several it is that share these functions. */
    uint32_t unit;
    /* Why an end could not be opened, or why a call has given up before all was over, as a clause; NULL if nothing is
     * known. May itself be NULL. To be asked while neither end is inside a call; known until the next sender's open. */
    const char *(*trouble)(void);
};

/* Whether all is over: to be looked at by whoever waits. Cheap. */
static inline bool ic_transport_over(const struct ic_transport_end *end) {
    return atomic_load_explicit(end->over, memory_order_relaxed);
}

/* Supplied by the platform: the transport with this index, from 0 up; NULL beyond the last. There is at least one. */
const struct ic_transport *port_transport(uint32_t index);

#endif
