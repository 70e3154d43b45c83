/* The transports `rpmsg-char:PATH`: an RPMsg endpoint of Linux, one for each of its devices (rpmsg_char.c). */
#ifndef IC_TRANSPORT_RPMSG_CHAR_H
#define IC_TRANSPORT_RPMSG_CHAR_H

#include "transport.h"

/* Looks which devices there are: those that the environment variable INTERCORE_RPMSG names, by paths with colons
 * between them; else /dev/rpmsg0, /dev/rpmsg1, … up to four; else, so that a user sees how such a transport is called
 * and what it lacks, /dev/rpmsg0. To be called once, before the first rpmsg_char_transport(). NULL, or what is wrong
 * with the variable, as a clause. */
const char *rpmsg_char_find(void);

/* The transport of the device with this index, from 0 up; NULL beyond the last. */
const struct ic_transport *rpmsg_char_transport(uint32_t index);

#endif
