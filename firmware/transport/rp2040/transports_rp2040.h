/* The transports that are made of the RP2040's own hardware, for the list of its board. */
#ifndef TRANSPORTS_RP2040_H
#define TRANSPORTS_RP2040_H

#include "transport.h"

extern const struct ic_transport ic_transport_fifo;
extern const struct ic_transport ic_transport_dma;

#endif
