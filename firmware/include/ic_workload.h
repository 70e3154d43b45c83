/* A compute kernel. The work is a number of units, numbered from 0, that can be split over cores at any unit.
 *
 * A workload is one file workload/<name>.c, which begins with what a unit is and defines ic_workload_<name>, and one
 * line in workload/workloads.h. One of a user's own is declared by intercore_workload.h. */
#ifndef IC_WORKLOAD_H
#define IC_WORKLOAD_H

#include <stdint.h>

struct ic_workload {
    /* Does what must not be timed, such as filling a buffer. NULL if there is nothing to do. */
    void (*prepare)(void);
    /* Works through `count` units from `first` on and returns a checksum that depends on every one of them. May be
     * called on several cores at once. */
    uint32_t (*work)(uint32_t first, uint32_t count);
    /* The checksum that work() must return, found in another way and much faster. */
    uint32_t (*expected)(uint32_t first, uint32_t count);
};

#endif
