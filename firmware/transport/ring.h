/* The transports `ring` and `ring-zero-copy` (ring.c), for the platforms' lists. */
#ifndef IC_TRANSPORT_RING_H
#define IC_TRANSPORT_RING_H

#include "spsc.h"
#include "transport.h"

extern const struct ic_transport ic_transport_ring;
extern const struct ic_transport ic_transport_ring_zero_copy;

/* For transports that are such a ring, but wait in their own way: opens an end of a ring in that memory, and copies
 * through it. */
uint32_t ic_ring_capacity(uint32_t memory_bytes);
void ic_ring_open(const struct ic_transport_end *end, void *memory, uint32_t memory_bytes,
                  const struct ic_waiting *waiting);
bool ic_ring_send(struct ic_transport_end *end, const void *message);
uint32_t ic_ring_receive(struct ic_transport_end *end, void *message);

#endif
