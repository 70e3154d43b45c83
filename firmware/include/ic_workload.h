/* A workload: a function that benchmarks run. Its work is a number of units, numbered from 0, which can be divided
 * between cores at any unit.
 *
 * A workload of Intercore is a file workload/<name>.c, which says what a unit is and defines ic_workload_<name>, and a
 * line in workload/workloads.h. A user's workload is declared by intercore_workload.h. */
#ifndef IC_WORKLOAD_H
#define IC_WORKLOAD_H

#include <stdint.h>

struct ic_workload {
    /* Called before the timed work, for what must not be timed, such as filling a buffer. May be NULL. */
    void (*prepare)(void);
    /* Computes `count` units, beginning with unit `first`. Returns a checksum that depends on each unit. Several cores
     * may call it at the same time. */
    uint32_t (*work)(uint32_t first, uint32_t count);
    /* Returns the checksum that work() must return, computed in another and much faster way. */
    uint32_t (*expected)(uint32_t first, uint32_t count);
};

#endif
