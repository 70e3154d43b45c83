/* The list of workloads, in the order in which the parameter `workload` of the benchmarks offers them. Everything else
 * is generated from this list. */
#ifndef IC_WORKLOADS_H
#define IC_WORKLOADS_H

#include "added.h"
#include "ic_workload.h"

/* For functions that are not timed: their size matters, their speed does not. */
#define IC_UNTIMED __attribute__((cold))

// clang-format off
/* A board that is short of memory may exclude these workloads (IC_FEWER_WORKLOADS): on a core without double-precision
 * hardware, the library functions for `double` take 8 KiB. */
#ifdef IC_FEWER_WORKLOADS
#define IC_WORKLOADS_WITH_ROOM(X)
#else
#define IC_WORKLOADS_WITH_ROOM(X) \
    X(double)                     \
    X(records)
#endif

#define IC_WORKLOADS(X) \
    X(fp)               \
    X(integer)          \
    X(hanoi)            \
    X(memory)           \
    X(flash)            \
    X(fir)              \
    X(dense)            \
    X(aes)              \
    IC_WORKLOADS_WITH_ROOM(X)
// clang-format on

#define IC_WORKLOAD_DECLARED(name) extern const struct ic_workload ic_workload_##name;
#define IC_WORKLOAD_NUMBERED(name) IC_WORKLOAD_NUMBER_##name,

IC_WORKLOADS(IC_WORKLOAD_DECLARED)

/* Users' workloads follow the list: the one that the build names in IC_OWN, or those that the program registers at
 * start (own.h), at most IC_ADDED_MAX. Without either, the program has no code for users' workloads, so the code of the
 * other workloads stays at its addresses. */
#ifdef IC_OWN
#define IC_OWN_MAX 1
#else
#define IC_OWN_MAX IC_ADDED_MAX
#endif

enum ic_workload_number { IC_WORKLOADS(IC_WORKLOAD_NUMBERED) IC_WORKLOADS_HERE };
#define IC_WORKLOAD_COUNT (IC_WORKLOADS_HERE + IC_OWN_MAX)

#if IC_ADDED_MAX > 0
#define IC_WORKLOAD_LISTED
#else
#define IC_WORKLOAD_LISTED const
#endif

/* The names of the workloads, as choices of the parameter `workload`, and the workloads themselves, both in the order
 * of the list; NULL beyond the last */
extern const char *IC_WORKLOAD_LISTED ic_workload_names[IC_WORKLOAD_COUNT];
extern const struct ic_workload *IC_WORKLOAD_LISTED ic_workloads[IC_WORKLOAD_COUNT];

#endif
