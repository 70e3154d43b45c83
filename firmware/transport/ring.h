/* The ring of the transport `ring` (ring.c), for other transports that use such a ring but wait in another way */
#ifndef IC_TRANSPORT_RING_H
#define IC_TRANSPORT_RING_H

#include "spsc.h"
#include "transport.h"

/* Returns the bytes of the largest message that a ring in this memory can move; 0 if the memory is too small. */
uint32_t ic_ring_capacity(uint32_t memory_bytes);

/* These open an end of a ring in `memory`, copy a message into the ring, and copy a message out of it. */
void ic_ring_open(const struct ic_transport_end *end, void *memory, uint32_t memory_bytes,
                  const struct ic_waiting *waiting);
bool ic_ring_send(struct ic_transport_end *end, const void *message);
uint32_t ic_ring_receive(struct ic_transport_end *end, void *message);

#endif
