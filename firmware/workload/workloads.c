#include "workloads.h"

#ifdef IC_OWN
#include "own.h"
#endif

#define NAME(name) #name,
#define WORKLOAD(name) &ic_workload_##name,

#ifdef IC_OWN
/* IC_OWN must be expanded before it becomes part of a name. */
#define IN_FULL(macro, name) macro(name)
#define OWN_DECLARED(name) extern const struct intercore_workload intercore_workload_##name;
#define OWN_NAME(name) IC_OWN_PREFIX #name,
#define OWN_WORKLOAD(name) &intercore_workload_##name.workload,
IN_FULL(OWN_DECLARED, IC_OWN)
#define OWN(macro) IN_FULL(macro, IC_OWN)
#else
#define OWN(macro)
#endif

const char *IC_WORKLOAD_LISTED ic_workload_names[IC_WORKLOAD_COUNT] = {IC_WORKLOADS(NAME) OWN(OWN_NAME)};
const struct ic_workload *IC_WORKLOAD_LISTED ic_workloads[IC_WORKLOAD_COUNT] = {IC_WORKLOADS(WORKLOAD)
                                                                                    OWN(OWN_WORKLOAD)};
