/* The transports `rpmsg-char:PATH`: from Linux to another core of the chip, and back. PATH is an endpoint of Linux's
 * driver rpmsg_char (drivers/rpmsg/rpmsg_char.c), a character device: each write sends a message, each read receives
 * one. The firmware of the other core sends back every message: docs/transports.md lists suitable firmware.
 *
 * The other core has its own clock, or none that Linux can read. So the measured time is that of a round trip, from
 * Linux to Linux, and the results call it so. Both ends of the transport are in Linux: the sender writes, the receiver
 * reads the echo. They share one open file, because the driver allows only one open file at a time (EBUSY).
 *
 * Calls on the file do not block: an end that waits blocks in poll(), which can time out. Over virtio the driver does
 * not report when there is room again (virtio_rpmsg_bus.c has no poll), so a sender that finds no room retries every
 * millisecond. There is always room if the echo of each message is awaited before the next message is sent. */
#include "rpmsg_char.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define VARIABLE "INTERCORE_RPMSG"
#define PREFIX "rpmsg-char:"
#define DEVICES_MOST 4U
#define PATH_MOST 64U
/* Most characters of all paths together, because one line lists all transports' names */
#define PATHS_MOST 100U
#define RETRY_MS 1
/* Most messages left over from an aborted run that open() drops: the device's queue itself has no limit. */
#define STALE_MOST 1000U

static struct {
    char name[sizeof PREFIX + PATH_MOST];
    struct ic_transport transport;
} devices[DEVICES_MOST];
static uint32_t device_count;

static int file;
static bool receiver_is_open;

static const char *path_of(const struct ic_transport_setup *setup) {
    return devices[setup->unit].name + sizeof PREFIX - 1U;
}

/* ---- failures ---- */

static atomic_bool troubled;
static char trouble_text[120];

/* Only the first failure is reported: later ones may be its consequences. */
static void tell(const char *what, int number) {
    if (!atomic_exchange(&troubled, true)) {
        if (number != 0) {
            (void)snprintf(trouble_text, sizeof trouble_text, "%s (errno %d)", what, number);
        } else {
            (void)snprintf(trouble_text, sizeof trouble_text, "%s", what);
        }
    }
}

static const char *trouble(void) { return atomic_load(&troubled) ? trouble_text : NULL; }

static const char *of_open(int number) {
    switch (number) {
    case ENOENT:
        return "there is no such device";
    case EACCES:
    case EPERM:
        return "this user may not read and write the device";
    case EBUSY:
        return "another program has the device open";
    case ENXIO:
    case ENODEV:
        return "the device has no other end: is the other core's firmware started?";
    default:
        return "the device cannot be opened";
    }
}

static const char *of_transfer(int number) {
    switch (number) {
    case EMSGSIZE:
        return "the message is larger than the device takes; with Linux's usual buffers that is 496 bytes";
    case EPIPE:
    case EIO:
    case ENXIO:
    case ENODEV:
    case ECONNRESET:
        return "the other end is gone: was its core stopped or restarted?";
    default:
        return "the device fails";
    }
}

/* ---- opening ---- */

static const char *refuses(const struct ic_transport_setup *setup) {
    struct stat status;
    if (stat(path_of(setup), &status) != 0) {
        return errno == ENOENT ? "there is no such device: is the other core's firmware started, and rpmsg_char loaded?"
                               : of_open(errno);
    }
    if (!S_ISCHR(status.st_mode)) {
        return "this is not a character device";
    }
    return access(path_of(setup), R_OK | W_OK) == 0 ? NULL : of_open(errno);
}

/* The length in RPMsg's header has 16 bits. The device's buffers may be smaller: that shows only when the device
 * refuses a message. */
static uint32_t capacity(const struct ic_transport_setup *setup) {
    (void)setup;
    return UINT16_MAX;
}

static void drop_stale(void) {
    char byte;
    for (uint32_t i = 0; i < STALE_MOST && read(file, &byte, sizeof byte) > 0; i++) {
    }
}

static bool open_end(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        receiver_is_open = true;
        return true;
    }
    atomic_store(&troubled, false);
    receiver_is_open = false;
    file = open(path_of(end->setup), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        tell(of_open(errno), errno);
        return false;
    }
    drop_stale();
    return true;
}

/* The receiver closes last and closes the file. The sender closes it only if the receiver was never opened. */
static void close_end(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER || !receiver_is_open) {
        close(file);
    }
}

/* ---- messages ---- */

/* Called after a system call that moved no message: waits, unless the end polls, and returns whether to retry. Older
 * versions of Linux return ENOMEM if there is no room. */
static bool goes_on(const struct ic_transport_end *end, short events, int wait_ms) {
    int number = errno;
    if (number != EAGAIN && number != EINTR && number != ENOMEM) {
        tell(of_transfer(number), number);
        return false;
    }
    if (!end->setup->polling && number != EINTR) {
        struct pollfd awaited = {.fd = file, .events = events};
        (void)poll(&awaited, 1, wait_ms);
    }
    return !ic_transport_over(end);
}

static bool send(struct ic_transport_end *end, const void *message) {
    for (;;) {
        ssize_t count = write(file, message, end->setup->size);
        if (count == (ssize_t)end->setup->size) {
            return true;
        }
        if (count >= 0) {
            tell("the device took only a part of a message", 0);
            return false;
        }
        if (!goes_on(end, POLLOUT, RETRY_MS)) {
            return false;
        }
    }
}

/* The device truncates a message that is longer than the buffer. The buffer has one byte more than expected, so that a
 * longer message is noticed. */
static uint32_t receive(struct ic_transport_end *end, void *message) {
    uint32_t size = end->setup->size;
    char more;
    const struct iovec parts[] = {{.iov_base = message, .iov_len = size}, {.iov_base = &more, .iov_len = 1}};
    for (;;) {
        ssize_t count = readv(file, parts, 2);
        if (count > 0 && count <= (ssize_t)size) {
            return (uint32_t)count;
        }
        if (count >= 0) {
            tell(count == 0 ? "an answer was empty" : "an answer was longer than what was sent", 0);
            return 0;
        }
        if (!goes_on(end, POLLIN, (int)IC_TRANSPORT_SLICE_MS)) {
            tell("no answer came: does an echo run at the other end?", 0);
            return 0;
        }
    }
}

/* ---- the devices ---- */

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("/._-", c) != NULL;
}

/* Why a path cannot be part of a transport's name, which is typed and sent in a line; NULL if it can */
static const char *wrong_with(const char *path, size_t length) {
    static size_t all; /* total length of all paths so far */
    bool plain = length > 0 && path[0] == '/';
    for (size_t i = 0; i < length; i++) {
        plain = plain && is_plain(path[i]);
    }
    if (!plain) {
        return "a path begins with / and has letters, digits and . _ - / only";
    }
    all += length;
    return length < PATH_MOST && all <= PATHS_MOST ? NULL : "it names paths of at most 63 characters, 100 in total";
}

static const char *add(const char *path, size_t length) {
    if (device_count >= DEVICES_MOST) {
        return "it names at most four paths";
    }
    const char *wrong = wrong_with(path, length);
    if (wrong == NULL) {
        uint32_t unit = device_count++;
        char *name = devices[unit].name;
        memcpy(name, PREFIX, sizeof PREFIX - 1U);
        memcpy(name + sizeof PREFIX - 1U, path, length);
        devices[unit].transport = (struct ic_transport){
            .name = name,
            .summary = "RPMsg endpoint of Linux, to an echo on another core and back; copied by the kernel, region and "
                       "buffer are not used",
            .one_kernel = true,
            .round_trip = true,
            .unit = unit,
            .refuses = refuses,
            .capacity = capacity,
            .open = open_end,
            .close = close_end,
            .send = send,
            .receive = receive,
            .trouble = trouble,
        };
    }
    return wrong;
}

static const char *add_named(const char *paths) {
    const char *wrong = NULL;
    while (wrong == NULL && paths != NULL) {
        const char *end = strchr(paths, ':');
        wrong = add(paths, end != NULL ? (size_t)(end - paths) : strlen(paths));
        paths = end != NULL ? end + 1 : NULL;
    }
    return wrong;
}

const char *rpmsg_char_find(void) {
    const char *named = getenv(VARIABLE); /* NOLINT(concurrency-mt-unsafe): before any other thread */
    if (named != NULL && named[0] != '\0') {
        return add_named(named);
    }
    for (uint32_t number = 0; number < 16U && device_count < DEVICES_MOST; number++) {
        char path[16];
        int length = snprintf(path, sizeof path, "/dev/rpmsg%u", (unsigned)number);
        if (access(path, F_OK) == 0) {
            (void)add(path, (size_t)length);
        }
    }
    return device_count > 0 ? NULL : add("/dev/rpmsg0", strlen("/dev/rpmsg0"));
}

const struct ic_transport *rpmsg_char_transport(uint32_t index) {
    return index < device_count ? &devices[index].transport : NULL;
}
