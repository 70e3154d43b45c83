/* The ring of the transport `ring` (ring.c), for other transports that use such a ring but wait in another way */
#ifndef IC_TRANSPORT_RING_H
#define IC_TRANSPORT_RING_H

#include "spsc.h"
#include "transport.h"

/* Bytes of the largest message that a ring in this much memory can move; 0 if there is too little memory */
uint32_t ic_ring_capacity(uint32_t memory_bytes);

/* Open an end of a ring in that memory, and copy messages into the ring and out of it. */
void ic_ring_open(const struct ic_transport_end *end, void *memory, uint32_t memory_bytes,
                  const struct ic_waiting *waiting);
bool ic_ring_send(struct ic_transport_end *end, const void *message);
uint32_t ic_ring_receive(struct ic_transport_end *end, void *message);

#endif
