/* Compute kernels. The work is a number of units, numbered from 0, that can be split over cores at any unit. */
#ifndef IC_WORKLOAD_H
#define IC_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct ic_workload {
    /* What a user types after workload=. */
    const char *name;
    /* Does what must not be timed, such as filling a buffer. NULL if there is nothing to do. */
    void (*prepare)(void);
    /* Works through `count` units from `first` on and returns a checksum that depends on every one of them. May be
     * called on several cores at once. */
    uint32_t (*work)(uint32_t first, uint32_t count);
    /* The checksum that work() must return, found in another way and much faster. */
    uint32_t (*expected)(uint32_t first, uint32_t count);
};

/* A unit is one step of a chain of single-precision square root, multiplication and division, each of which needs the
 * result of the one before. Like the kernel of Quach & Nguyen (2026), whose operands are volatile as well. */
extern const struct ic_workload ic_workload_fp;

/* A unit is one step of a linear congruential generator: a 32-bit multiplication and an addition in a chain. */
extern const struct ic_workload ic_workload_integer;

/* A unit is one tower of Hanoi of 3 discs (7 moves), solved by recursion: about as much work as a unit of
 * the other kernels, so that the same sizes suit them all. */
extern const struct ic_workload ic_workload_hanoi;

/* A unit is the reading of 64 bytes of memory region 0, which is larger than any cache that a core has to itself. The
 * parts of different cores follow one another and wrap at the end of the region. */
extern const struct ic_workload ic_workload_memory;

/* Names of all workloads as the choices of a parameter, in the order of ic_workloads. */
#define IC_WORKLOAD_COUNT 4U
extern const char *const ic_workload_names[IC_WORKLOAD_COUNT];
extern const struct ic_workload *const ic_workloads[IC_WORKLOAD_COUNT];

/* Solves one tower and returns the checksum of its moves; `discs` is 0 to 31. */
uint32_t ic_hanoi_tower(uint32_t discs);

/* The checksum that ic_hanoi_tower() must return. */
uint32_t ic_hanoi_expected(uint32_t discs);

#endif
