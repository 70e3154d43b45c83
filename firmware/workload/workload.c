#include "workload.h"

const char *const ic_workload_names[IC_WORKLOAD_COUNT] = {"fp", "integer", "hanoi", "memory"};

const struct ic_workload *const ic_workloads[IC_WORKLOAD_COUNT] = {
    &ic_workload_fp,
    &ic_workload_integer,
    &ic_workload_hanoi,
    &ic_workload_memory,
};
