/* The list of transports, in groups. Everything else is generated from this list. Each line is the NAME of a `const
 * struct ic_transport ic_transport_NAME`. The comment on a group states in parentheses the folder of its sources. A
 * board selects its groups, and their order, in its transports.c, and their folders in its board.cmake. */
#ifndef IC_TRANSPORTS_H
#define IC_TRANSPORTS_H

#include "added.h"
#include "transport.h"

// clang-format off

/* Transports that need only shared memory and port.h (transport) */
#define IC_TRANSPORTS_PORTABLE(X) \
    X(ring)                       \
    X(ring_zero_copy)             \
    X(rpmsg)                      \
    X(rpmsg_zero_copy)

/* FreeRTOS objects (transport/freertos), under one kernel and between two kernels */
#define IC_TRANSPORTS_FREERTOS(X) \
    X(queue)                      \
    X(stream_buffer)              \
    X(message_buffer)             \
    X(notification)
#define IC_TRANSPORTS_FREERTOS_AMP(X) \
    X(message_buffer_amp)

/* Linux's objects for threads and processes (transport/posix) */
#define IC_TRANSPORTS_POSIX(X) \
    X(queue)                   \
    X(pipe)                    \
    X(unix_socket)             \
    X(posix_mq)                \
    X(notification)            \
    X(ring_futex)

/* Hardware of the RP2040 (transport/rp2) */
#define IC_TRANSPORTS_RP2(X) \
    X(fifo)                     \
    X(dma)

/* ESP-IDF objects (transport/esp_idf) */
#define IC_TRANSPORTS_ESP_IDF(X) \
    X(ringbuf)                   \
    X(ringbuf_zero_copy)

// clang-format on

#define IC_TRANSPORT_DECLARED(name) extern const struct ic_transport ic_transport_##name;
#define IC_TRANSPORT_LISTED(name) &ic_transport_##name,

/* Returns the transport with this index, from 0, among those that a user's program registers (intercore_workload.h);
 * NULL beyond the last. They follow the board's transports. */
#if IC_ADDED_MAX > 0
const struct ic_transport *ic_transport_added(uint32_t index);
#else
#define ic_transport_added(index) NULL
#endif

IC_TRANSPORTS_PORTABLE(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_FREERTOS(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_FREERTOS_AMP(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_POSIX(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_RP2(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_ESP_IDF(IC_TRANSPORT_DECLARED)

#endif
