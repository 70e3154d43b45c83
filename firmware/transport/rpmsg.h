/* The transports `rpmsg` and `rpmsg-zero-copy` (rpmsg.c), for the platforms' lists. */
#ifndef IC_TRANSPORT_RPMSG_H
#define IC_TRANSPORT_RPMSG_H

#include "transport.h"

/* RPMsg's header, in front of each message (Linux: include/linux/rpmsg/virtio_rpmsg.h, struct rpmsg_hdr; OpenAMP's
 * documentation, "RPMsg Messaging Protocol", 1.3 "Transport Layer - RPMsg"). */
struct ic_rpmsg_header {
    uint32_t src; /* address of the endpoint that sends */
    uint32_t dst; /* of the one that receives */
    uint32_t reserved;
    uint16_t len; /* of the message behind it, in bytes */
    uint16_t flags;
};

/* Addresses of the two endpoints: the first that Linux gives out; those below are for services that are known to all
 * (RPMSG_RESERVED_ADDRESSES). */
#define IC_RPMSG_HOST 1024U
#define IC_RPMSG_REMOTE 1025U

extern const struct ic_transport ic_transport_rpmsg;
extern const struct ic_transport ic_transport_rpmsg_zero_copy;

#endif
