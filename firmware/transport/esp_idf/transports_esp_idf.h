/* The transports that are made of ESP-IDF's objects, for the list of its boards (port_transport()). */
#ifndef TRANSPORTS_ESP_IDF_H
#define TRANSPORTS_ESP_IDF_H

#include "transport.h"

extern const struct ic_transport ic_transport_ringbuf;
extern const struct ic_transport ic_transport_ringbuf_zero_copy;

#endif
