/* Stands in for Linux' driver rpmsg_char, by LD_PRELOAD: opens a socket of the test's (SOCK_SEQPACKET, which keeps
 * borders between messages as the driver does) where the program opens the device, and lets read and write fail as the
 * driver's do (drivers/rpmsg/rpmsg_char.c): EPIPE when the other end is gone, EMSGSIZE where a message is larger than a
 * buffer. All else is the program's own way through the system: open flags, poll, non-blocking reads and writes. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int device = -1;

static long number(const char *name) {
    const char *text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : 0;
}

static int open_device(int flags) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (number("STANDIN_ERRNO") != 0) {
        errno = (int)number("STANDIN_ERRNO");
        return -1;
    }
    strncpy(address.sun_path, getenv("STANDIN_SOCKET"), sizeof address.sun_path - 1);
    device = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connect(device, (struct sockaddr *)&address, sizeof address) != 0) {
        abort();
    }
    char byte;
    if (number("STANDIN_STALE") != 0 && recv(device, &byte, 1, MSG_PEEK) < 0) { /* what was sent before is there */
        abort();
    }
    if ((flags & O_NONBLOCK) != 0) {
        fcntl(device, F_SETFL, O_NONBLOCK);
    }
    return device;
}

int open(const char *path, int flags, ...) {
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list rest;
    va_start(rest, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    const char *ours = getenv("STANDIN_PATH");
    return ours != NULL && strcmp(path, ours) == 0 ? open_device(flags) : next(path, flags, mode);
}

ssize_t write(int file, const void *message, size_t size) {
    ssize_t (*next)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (file != device || device < 0) {
        return next(file, message, size);
    }
    if (size > (size_t)number("STANDIN_MOST")) {
        errno = EMSGSIZE;
        return -1;
    }
    return send(file, message, size, MSG_NOSIGNAL);
}

ssize_t readv(int file, const struct iovec *parts, int count) {
    ssize_t (*next)(int, const struct iovec *, int) =
        (ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "readv");
    ssize_t found = next(file, parts, count);
    if (file == device && device >= 0 && found == 0) {
        errno = EPIPE;
        return -1;
    }
    return found;
}
