/* Transports that a user's program registers at start (intercore_workload.h) */
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

static bool is_name(const char *name) {
    return name != NULL && name[0] != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static bool is_whole(const struct ic_transport *one) {
    bool moves = one->zero_copy ? one->loan && one->send_loan && one->receive_loan && one->release
                                : one->send != NULL && one->receive != NULL;
    return one->summary != NULL && one->capacity != NULL && one->open != NULL && one->close != NULL && moves;
}

const char *intercore_add_transport(const struct ic_transport *transport) {
    if (added == IC_ADDED_MAX) {
        return "there is no room for another transport";
    }
    if (!is_name(transport->name)) {
        return "the name of a transport has lower-case letters, digits and - only";
    }
    if (!is_whole(transport)) {
        return "the transport lacks summary, capacity, open, close, or functions that move messages (transport.h)";
    }
    if (is_taken(transport->name)) {
        return "a transport of that name exists already";
    }
    transports[added++] = transport;
    return NULL;
}
#endif
