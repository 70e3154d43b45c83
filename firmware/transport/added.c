/* The transports that a program adds of its own (intercore_workload.h). */
#include "transports.h"

#if IC_ADDED_MAX > 0
#include <string.h>

#include "intercore_workload.h"

static const struct ic_transport *transports[IC_ADDED_MAX];
static uint32_t added;

const struct ic_transport *ic_transport_added(uint32_t index) { return index < added ? transports[index] : NULL; }

static bool is_taken(const char *name) {
    const struct ic_transport *other;
    for (uint32_t i = 0; (other = port_transport(i)) != NULL; i++) {
        if (strcmp(other->name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *intercore_add_transport(const struct ic_transport *transport) {
    if (added == IC_ADDED_MAX) {
        return "there is no room for another transport";
    }
    if (is_taken(transport->name)) {
        return "there is a transport of that name already";
    }
    transports[added++] = transport;
    return NULL;
}
#endif
