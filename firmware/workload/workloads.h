/* The list of workloads by the names that a user types after workload=, in this order; everything else is made from it.
 */
#ifndef IC_WORKLOADS_H
#define IC_WORKLOADS_H

#include "workload.h"

// clang-format off
/* A board may go without these (IC_WITHOUT_DOUBLE): where there is no unit for double precision, the functions that do
 * it are 8 KiB of code. */
#ifdef IC_WITHOUT_DOUBLE
#define IC_WORKLOADS_IN_DOUBLE(X)
#else
#define IC_WORKLOADS_IN_DOUBLE(X) \
    X(double)
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
    IC_WORKLOADS_IN_DOUBLE(X)
// clang-format on

#define IC_WORKLOAD_DECLARED(name) extern const struct ic_workload ic_workload_##name;
#define IC_WORKLOAD_NUMBERED(name) IC_WORKLOAD_NUMBER_##name,

IC_WORKLOADS(IC_WORKLOAD_DECLARED)

enum ic_workload_number { IC_WORKLOADS(IC_WORKLOAD_NUMBERED) IC_WORKLOAD_COUNT };

/* The workloads, and their names as the choices of a parameter, in the order of the list. */
extern const char *const ic_workload_names[IC_WORKLOAD_COUNT];
extern const struct ic_workload *const ic_workloads[IC_WORKLOAD_COUNT];

#endif
