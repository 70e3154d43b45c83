/* The list of transports, in groups by what they are made of; everything else is made from it. A line is the name of a
 * `const struct ic_transport ic_transport_NAME`. The sources of a group are all in the folder behind it: a board says
 * in transports.c which groups it has, in which order, and in board.cmake which folders. */
#ifndef IC_TRANSPORTS_H
#define IC_TRANSPORTS_H

#include "added.h"
#include "transport.h"

// clang-format off

/* Of shared memory and port.h alone (transport). */
#define IC_TRANSPORTS_PORTABLE(X) \
    X(ring)                       \
    X(ring_zero_copy)             \
    X(rpmsg)                      \
    X(rpmsg_zero_copy)

/* Of FreeRTOS' objects (transport/freertos), under one kernel and from kernel to kernel. */
#define IC_TRANSPORTS_FREERTOS(X) \
    X(queue)                      \
    X(stream_buffer)              \
    X(message_buffer)             \
    X(notification)
#define IC_TRANSPORTS_FREERTOS_AMP(X) \
    X(message_buffer_amp)

/* Of what Linux has for threads and processes (transport/posix). */
#define IC_TRANSPORTS_POSIX(X) \
    X(queue)                   \
    X(pipe)                    \
    X(unix_socket)             \
    X(posix_mq)                \
    X(notification)            \
    X(ring_futex)

/* Of the RP2040's own hardware (transport/rp2040). */
#define IC_TRANSPORTS_RP2040(X) \
    X(fifo)                     \
    X(dma)

/* Of ESP-IDF's objects (transport/esp_idf). */
#define IC_TRANSPORTS_ESP_IDF(X) \
    X(ringbuf)                   \
    X(ringbuf_zero_copy)

// clang-format on

#define IC_TRANSPORT_DECLARED(name) extern const struct ic_transport ic_transport_##name;
#define IC_TRANSPORT_LISTED(name) &ic_transport_##name,

/* Those that the program adds of its own (intercore_workload.h), from 0 up, come behind a board's; NULL beyond the
 * last. */
#if IC_ADDED_MAX > 0
const struct ic_transport *ic_transport_added(uint32_t index);
#else
#define ic_transport_added(index) NULL
#endif

IC_TRANSPORTS_PORTABLE(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_FREERTOS(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_FREERTOS_AMP(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_POSIX(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_RP2040(IC_TRANSPORT_DECLARED)
IC_TRANSPORTS_ESP_IDF(IC_TRANSPORT_DECLARED)

#endif
