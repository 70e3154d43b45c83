/* A pipe: the kernel copies the bytes in and out, without message boundaries. The shared memory is not used.
 *
 * The receiver blocks in read(); its wait ends when the sender's end is closed. The sender's end is non-blocking: a
 * sender that finds the pipe full waits in poll(), whose time limit lets it give up when the run is over. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "transports.h"

static int in, out;

static uint32_t pipe_capacity(const struct ic_transport_setup *setup) {
    (void)setup;
    return UINT32_MAX;
}

static bool pipe_open(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        return true;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | (end->setup->polling ? O_NONBLOCK : 0)) != 0) {
        return false;
    }
    out = ends[0];
    in = ends[1];
    if (fcntl(in, F_SETFL, O_NONBLOCK) == 0) {
        return true;
    }
    close(in);
    close(out);
    return false;
}

static void pipe_close(struct ic_transport_end *end) { close(end->role == IC_TRANSPORT_SENDER ? in : out); }

/* Whether to retry after a read() or write() that moved nothing */
static bool goes_on(const struct ic_transport_end *end, struct pollfd *room) {
    if (errno != EAGAIN && errno != EINTR) {
        return false;
    }
    if (!end->setup->polling && room != NULL && errno == EAGAIN) {
        (void)poll(room, 1, IC_TRANSPORT_SLICE_MS);
    }
    return !ic_transport_over(end);
}

static bool pipe_send(struct ic_transport_end *end, const void *message) {
    const unsigned char *next = message;
    struct pollfd room = {.fd = in, .events = POLLOUT};
    for (size_t left = end->setup->size; left > 0;) {
        ssize_t count = write(in, next, left);
        if (count > 0) {
            next += count;
            left -= (size_t)count;
        } else if (!goes_on(end, &room)) {
            return false;
        }
    }
    return true;
}

static uint32_t pipe_receive(struct ic_transport_end *end, void *message) {
    unsigned char *next = message;
    for (size_t left = end->setup->size; left > 0;) {
        ssize_t count = read(out, next, left);
        if (count > 0) {
            next += count;
            left -= (size_t)count;
        } else if (count == 0 || !goes_on(end, NULL)) {
            return 0;
        }
    }
    return end->setup->size;
}

const struct ic_transport ic_transport_pipe = {
    .name = "pipe",
    .summary = "pipe of 64 KiB in the kernel; copied in and out by it, region and buffer are not used",
    .one_kernel = true,
    .capacity = pipe_capacity,
    .open = pipe_open,
    .close = pipe_close,
    .send = pipe_send,
    .receive = pipe_receive,
};
