/* A POSIX message queue: the kernel copies each message in and out. The shared memory is not used. The system limits
 * the number and size of messages (mq_overview(7)). */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "slice_posix.h"
#include "transports.h"

/* Length of a queue in messages: the most that the default limits of Linux allow an unprivileged user */
#define LENGTH_DEFAULT 10

static mqd_t queue;

/* Reads one of the system's limits; 0 if the system has no message queues. */
static long limit(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    char line[32];
    long number = fgets(line, sizeof line, file) != NULL ? strtol(line, NULL, 10) : 0;
    fclose(file);
    return number;
}

static long most_bytes(void) { return limit("/proc/sys/fs/mqueue/msgsize_max"); }

static const char *posix_mq_refuses(const struct ic_transport_setup *setup) {
    (void)setup;
    return most_bytes() > 0 ? NULL : "this system has no POSIX message queues";
}

static uint32_t posix_mq_capacity(const struct ic_transport_setup *setup) {
    (void)setup;
    return (uint32_t)most_bytes();
}

static long length(void) {
    long most = limit("/proc/sys/fs/mqueue/msg_max");
    return most > 0 && most < LENGTH_DEFAULT ? most : LENGTH_DEFAULT;
}

/* The name is removed as soon as the queue is open, so that the queue is freed however the program ends. */
static bool posix_mq_open(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        return true;
    }
    char name[sizeof "/intercore-2147483647"];
    snprintf(name, sizeof name, "/intercore-%d", (int)getpid());
    struct mq_attr attributes = {.mq_maxmsg = length(), .mq_msgsize = (long)end->setup->size};
    int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | (end->setup->polling ? O_NONBLOCK : 0);
    queue = mq_open(name, flags, S_IRUSR | S_IWUSR, &attributes);
    if (queue == (mqd_t)-1) {
        return false;
    }
    mq_unlink(name);
    return true;
}

static void posix_mq_close(struct ic_transport_end *end) {
    if (end->role == IC_TRANSPORT_RECEIVER) {
        mq_close(queue);
    }
}

/* Whether to retry after a system call that moved no message */
static bool goes_on(const struct ic_transport_end *end) {
    return (errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR) && !ic_transport_over(end);
}

static bool posix_mq_send(struct ic_transport_end *end, const void *message) {
    for (;;) {
        struct timespec when = posix_slice_end(CLOCK_REALTIME); /* mq_timedsend() knows no other clock */
        if (mq_timedsend(queue, message, end->setup->size, 0, &when) == 0) {
            return true;
        }
        if (!goes_on(end)) {
            return false;
        }
    }
}

static uint32_t posix_mq_receive(struct ic_transport_end *end, void *message) {
    for (;;) {
        struct timespec when = posix_slice_end(CLOCK_REALTIME);
        ssize_t bytes = mq_timedreceive(queue, message, end->setup->size, NULL, &when);
        if (bytes > 0) {
            return (uint32_t)bytes;
        }
        if (!goes_on(end)) {
            return 0;
        }
    }
}

const struct ic_transport ic_transport_posix_mq = {
    .name = "posix-mq",
    .summary = "POSIX message queue; copied in and out by the kernel, region and buffer are not used",
    .one_kernel = true,
    .refuses = posix_mq_refuses,
    .capacity = posix_mq_capacity,
    .open = posix_mq_open,
    .close = posix_mq_close,
    .send = posix_mq_send,
    .receive = posix_mq_receive,
};
