#include "workloads.h"

#define NAME(name) #name,
#define WORKLOAD(name) &ic_workload_##name,

const char *const ic_workload_names[IC_WORKLOAD_COUNT] = {IC_WORKLOADS(NAME)};
const struct ic_workload *const ic_workloads[IC_WORKLOAD_COUNT] = {IC_WORKLOADS(WORKLOAD)};
