/* A compute kernel. The work is a number of units, numbered from 0, which can be divided between cores at any unit.
 *
 * A workload is one file workload/<name>.c, which describes its unit and defines ic_workload_<name>, and one line in
 * workload/workloads.h. intercore_workload.h declares a user's workload. */
#ifndef IC_WORKLOAD_H
#define IC_WORKLOAD_H

#include <stdint.h>

struct ic_workload {
    /* Does what must not be timed, such as filling a buffer. May be NULL. */
    void (*prepare)(void);
    /* Computes `count` units from `first` on and returns a checksum that depends on each of them. May run on several
     * cores at once. */
    uint32_t (*work)(uint32_t first, uint32_t count);
    /* The checksum that work() must return, computed in another and much faster way */
    uint32_t (*expected)(uint32_t first, uint32_t count);
};

#endif
