/* What depends on whether one kernel has both cores or each has its own. */
#ifndef RP2040_KERNELS_H
#define RP2040_KERNELS_H

#include "port.h"

/* The conditions that tell of it, as port_condition(), those of the kernel's configuration included. */
bool kernels_condition(uint32_t index, struct port_condition *condition);

#endif
