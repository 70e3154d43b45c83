/* The traps of both cores, whose code is that of the kernel's port. */
#ifndef RP2350_CORES_H
#define RP2350_CORES_H

#include "rp2_cores.h"

/* Makes the calling core use the port's trap code. rp2_cores_vectors_start() has been called before. */
void rp2350_cores_set_traps(void);

#endif
