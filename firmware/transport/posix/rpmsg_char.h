/* The transports `rpmsg-char:PATH`: one for each RPMsg character device of Linux (rpmsg_char.c) */
#ifndef IC_TRANSPORT_RPMSG_CHAR_H
#define IC_TRANSPORT_RPMSG_CHAR_H

#include "transport.h"

/* Finds the devices: the paths in the environment variable INTERCORE_RPMSG, separated by colons. Without that variable,
 * up to four of /dev/rpmsg0, /dev/rpmsg1, …. If none of these exists, /dev/rpmsg0 is listed nevertheless, so that a
 * user sees the name of such a transport and why the transport is not available. Call it once, before the first
 * rpmsg_char_transport(). Returns NULL if all is well, otherwise what is wrong with the variable, as the end of a
 * sentence (no capital letter, no full stop). */
const char *rpmsg_char_find(void);

/* Returns the transport of the device with this index, from 0; NULL beyond the last. */
const struct ic_transport *rpmsg_char_transport(uint32_t index);

#endif
