/* A pair of UNIX sockets with message boundaries (SOCK_SEQPACKET): the kernel copies each message in and out. The
 * shared memory is not used. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transports.h"

static int in, out;

/* Largest message, in bytes: several of this size fit into Linux's default socket buffer of 208 KiB. */
static uint32_t unix_socket_capacity(const struct ic_transport_setup *setup) {
    (void)setup;
    return 65536U;
}

static bool limit_waits(void) {
    struct timeval slice = {.tv_sec = IC_TRANSPORT_SLICE_MS / 1000U};
    return setsockopt(in, SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof slice) == 0 &&
           setsockopt(out, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice) == 0;
}

static bool unix_socket_open(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        return true;
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return false;
    }
    out = ends[0];
    in = ends[1];
    if (limit_waits()) {
        return true;
    }
    close(in);
    close(out);
    return false;
}

static void unix_socket_close(struct ic_transport_end *end) { close(end->role == IC_TRANSPORT_SENDER ? in : out); }

/* Whether to retry after a system call that moved no message */
static bool goes_on(const struct ic_transport_end *end) {
    return (errno == EAGAIN || errno == EINTR) && !ic_transport_over(end);
}

static int flags_of(const struct ic_transport_end *end) { return end->setup->polling ? MSG_DONTWAIT : 0; }

static bool unix_socket_send(struct ic_transport_end *end, const void *message) {
    while (send(in, message, end->setup->size, MSG_NOSIGNAL | flags_of(end)) < 0) {
        if (!goes_on(end)) {
            return false;
        }
    }
    return true;
}

static uint32_t unix_socket_receive(struct ic_transport_end *end, void *message) {
    for (;;) {
        ssize_t bytes = recv(out, message, end->setup->size, flags_of(end));
        if (bytes >= 0) { /* 0: the sender has closed */
            return (uint32_t)bytes;
        }
        if (!goes_on(end)) {
            return 0;
        }
    }
}

const struct ic_transport ic_transport_unix_socket = {
    .name = "unix-socket",
    .summary = "pair of UNIX sockets, SOCK_SEQPACKET; copied in and out by the kernel, region and buffer are not used",
    .one_kernel = true,
    .capacity = unix_socket_capacity,
    .open = unix_socket_open,
    .close = unix_socket_close,
    .send = unix_socket_send,
    .receive = unix_socket_receive,
};
