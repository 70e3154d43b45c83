/* IC_ADDED_MAX: the maximum number of workloads, and of transports, that a user's firmware may register when it starts
 * (intercore_workload.h). It is 0 unless the platform's port_types.h or the build defines it. */
#ifndef IC_ADDED_H
#define IC_ADDED_H

#include <stdint.h> /* newlib's stdatomic.h, which port_types.h includes, needs it */

#include "port_types.h"

#ifndef IC_ADDED_MAX
#define IC_ADDED_MAX 0
#endif

#endif
