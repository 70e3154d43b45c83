/* How many workloads, and how many transports, a program may add of its own before it starts (intercore_workload.h):
 * none where a platform's port_types.h or a build does not say. */
#ifndef IC_ADDED_H
#define IC_ADDED_H

#include <stdint.h> /* newlib's stdatomic.h, which comes next, does not include it */

#include "port_types.h"

#ifndef IC_ADDED_MAX
#define IC_ADDED_MAX 0
#endif

#endif
