/* IC_ADDED_MAX: how many workloads, and how many transports, a program may register at start (intercore_workload.h). 0
 * unless the platform's port_types.h or the build defines it. */
#ifndef IC_ADDED_H
#define IC_ADDED_H

#include <stdint.h> /* newlib's stdatomic.h, included next, does not include it */

#include "port_types.h"

#ifndef IC_ADDED_MAX
#define IC_ADDED_MAX 0
#endif

#endif
